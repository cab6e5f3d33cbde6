// A program of somebody else's: loads a model, translates a line, and shows where it looked.
//   translate MODEL "I am a student ."
#include <fovea/fovea.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: translate MODEL TEXT\n";
    return 2;
  }
  try {
    const fovea::Model model = fovea::load(argv[1]);
    const fovea::Translation said = model.translate(argv[2], {.beam_size = 5, .look = true});
    std::cout << said.text << '\n' << said.map;
  } catch (const fovea::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
