/** When the compiled genesis lies: what new witnesses have as the time of their hardfork vote. */
export const COMPILED_GENESIS_TIME = 1_531_512_800;
