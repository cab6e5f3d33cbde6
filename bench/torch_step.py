"""One update of a model in PyTorch: cost, gradients, clipping, the optimiser's step."""
from torch import nn


def updates(model, optimizer, cost):
    """What is timed: cost() is a function of the model."""

    def run():
        loss = cost()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return run
