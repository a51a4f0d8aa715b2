package dev.weir.kafka;

/**
 * What a probe wants to know of a consumer. Immutable.
 *
 * @param live whether its thread goes round; if not, only a restart of the pipeline helps
 * @param ready whether it has joined its group, or has its partitions, and knows where to read each of them
 * @param progressing whether work gets finished, or there is none
 * @param reason why one of them is not so, or an empty string
 */
public record ConsumerHealth(boolean live, boolean ready, boolean progressing, String reason) {}
