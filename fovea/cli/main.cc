#include <cstdio>
int main() { std::puts("fovea"); }
