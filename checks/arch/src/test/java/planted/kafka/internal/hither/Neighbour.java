package planted.kafka.internal.hither;

/** One file too many where one is allowed. */
class Neighbour {}
