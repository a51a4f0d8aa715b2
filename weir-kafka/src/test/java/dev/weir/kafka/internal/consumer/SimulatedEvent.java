package dev.weir.kafka.internal.consumer;

import java.util.Set;

/**
 * What may befall the topics of a world beside their growth. A seed draws which of the allowed ones its world knows.
 */
enum SimulatedEvent {
    /** An unclean election cuts a log; other records follow behind the cut, with a higher leader epoch. */
    TRUNCATION,
    /**
     * The topic is deleted and made anew under its name: another topic id, logs from 0 on, perhaps longer than before.
     */
    RECREATION,
    /** The subscription starts at the end, the process dies before it has committed, and partitions are added. */
    LATEST,
    /**
     * Partitions have no leader, for a while or for good: nothing is fetched of them, no question about them answered.
     */
    LEADERLESS;

    /** A world in so many knows a class of events, so that most know one or none. */
    static final int ONE_IN = 6;

    /** What a fault does to the promises: for each class at least one that a test plants, to see it found. */
    enum Planted {
        /** What the client throws about a lost position is dropped. */
        SWALLOWED_TRUNCATION(TRUNCATION),
        /** Commits say nothing of leader epochs. */
        COMMITS_WITHOUT_EPOCH(TRUNCATION),
        /** Nobody notices that the topic has another id. */
        UNNOTICED_RECREATION(RECREATION),
        /** The place that was taken is not committed before its first records are finished. */
        FORGOTTEN_PLACE(LATEST),
        /** An added partition begins at its end. */
        ADDED_AT_END(LATEST),
        /** A question is answered when all of it can be. */
        ALL_OR_NOTHING_LOOKUP(LEADERLESS);

        final SimulatedEvent in;

        Planted(SimulatedEvent in) {
            this.in = in;
        }
    }

    static final Set<Planted> NO_FAULT = Set.of();
}
