"""The models of `fovea bench pictures` in PyTorch, 64 pictures at a time; as many parameters as ours have."""
import torch
import torch.nn.functional as F
from torch import nn

from torch_step import updates

PICTURES = 64


def convolutions(channels, widths=(32, 64, 128), depth=2):
    """Convolutions of 3 x 3, each with batch norm and ReLU; between stages the largest of every 2 x 2 places."""
    layers = []
    for width in widths:
        layers += [nn.MaxPool2d(2)] if layers else []
        for _ in range(depth):
            layers += [nn.Conv2d(channels, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
            channels = width
    return nn.Sequential(*layers)


class Cnn(nn.Module):
    def __init__(self, channels=1, labels=10):
        super().__init__()
        self.encoder, self.classifier = convolutions(channels), nn.Linear(128, labels)

    def forward(self, pictures):
        return self.classifier(self.encoder(pictures).mean((2, 3)))


class Captioner(nn.Module):
    """An LSTM that attends to the 8 x 8 places of the convolutions' grid by an additive score (Xu et al. 2015)."""

    def __init__(self, vocabulary, width=256, words=64, grid=128, places=64):
        super().__init__()
        self.encoder, self.positions = convolutions(3), nn.Parameter(torch.randn(places, grid))
        self.words = nn.Embedding(vocabulary, words)
        self.start = nn.Linear(grid, 2 * width)
        self.query, self.key = nn.Linear(width, width, bias=False), nn.Linear(grid, width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)
        self.cell = nn.LSTMCell(words + grid, width)
        self.output = nn.Linear(width + grid, vocabulary)

    def forward(self, pictures, tokens):
        grid = self.encoder(pictures).flatten(2).transpose(1, 2)
        values = grid + self.positions
        keys, words = self.key(values), self.words(tokens)
        hidden, memory = torch.tanh(self.start(grid.mean(1))).chunk(2, -1)
        outputs = []
        for t in range(tokens.shape[1]):
            weights = self.score(torch.tanh(self.query(hidden)[:, None] + keys)).softmax(1)
            context = (weights.transpose(1, 2) @ values)[:, 0]
            hidden, memory = self.cell(torch.cat([words[:, t], context], -1), (hidden, memory))
            outputs.append(torch.cat([hidden, context], -1))
        return self.output(torch.stack(outputs, 1))


class Vit(nn.Module):
    """PyTorch's own layers, norms first, over a class token and the patches."""

    def __init__(self, depth=6, width=192, heads=3, size=32, patch=4, labels=10):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn((size // patch) ** 2 + 1, width))
        self.layers = nn.Sequential(*(nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0, activation="gelu", batch_first=True, norm_first=True)
                                      for _ in range(depth)))
        self.norm, self.classifier = nn.LayerNorm(width), nn.Linear(width, labels)

    def forward(self, pictures):
        patches = self.patches(pictures).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(patches), -1, -1), patches], 1) + self.positions
        return self.classifier(self.norm(self.layers(x)[:, 0]))


def adamw(model, rate, decay, beta2=0.999):
    return torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, beta2), weight_decay=decay, fused=True)


def train_captioner(layout=torch.contiguous_format, steps=21, vocabulary=31):
    """Captions of 5 to 21 tokens; the longest gives the steps."""

    def setup():
        model = Captioner(vocabulary).to(memory_format=layout)
        x = torch.randn(PICTURES, 3, 32, 32).to(memory_format=layout)
        tokens, wanted = (torch.randint(0, vocabulary, (PICTURES, steps)) for _ in range(2))
        lengths = 5 + torch.arange(PICTURES) % (steps - 4)
        wanted[torch.arange(steps)[None] >= lengths[:, None]] = -1

        def cost():
            return F.cross_entropy(model(x, tokens).flatten(0, 1), wanted.flatten(), ignore_index=-1)

        return updates(model, adamw(model, 2e-3, 0.01, 0.99), cost)

    return setup


def train_labels(make, size, channels, rate, decay, layout=torch.contiguous_format):
    def setup():
        model = make().to(memory_format=layout)
        x = torch.randn(PICTURES, channels, size, size).to(memory_format=layout)
        labels = torch.randint(0, 10, (PICTURES,))
        return updates(model, adamw(model, rate, decay), lambda: F.cross_entropy(model(x), labels))

    return setup


# PyTorch has two layouts of pictures; which is the faster depends on the machine.
LAST = torch.channels_last
KINDS = {
    "train/captioner": train_captioner(),
    "train/captioner_vs_channels_last": train_captioner(LAST),
    "train/vit": train_labels(Vit, 32, 3, 1e-3, 0.05),
    "train/cnn": train_labels(Cnn, 28, 1, 2e-3, 0.01),
    "train/cnn_vs_channels_last": train_labels(Cnn, 28, 1, 2e-3, 0.01, LAST),
}
