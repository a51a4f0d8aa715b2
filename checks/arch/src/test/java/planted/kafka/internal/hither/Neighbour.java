package planted.kafka.internal.hither;

/** Exceeds its package's limit of one file. */
class Neighbour {}
