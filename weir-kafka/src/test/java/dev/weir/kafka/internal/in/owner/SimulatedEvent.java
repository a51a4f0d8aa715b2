package dev.weir.kafka.internal.in.owner;

import java.util.Set;

/**
 * The events that topics of a world may undergo besides growth. A seed draws which of the allowed ones its world knows.
 */
enum SimulatedEvent {
    /** An unclean election cuts a log; other records follow behind the cut, with a higher leader epoch. */
    TRUNCATION,
    /**
     * The topic is deleted and recreated under its name: another topic id, logs from 0 on, perhaps longer than before.
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

    /** The faults that tests plant to see them found: at least one for each class of broken promises. */
    enum Planted {
        /** Drops the client's exception about a lost position. */
        SWALLOWED_TRUNCATION(TRUNCATION, 182),
        /** Commits say nothing of leader epochs. */
        COMMITS_WITHOUT_EPOCH(TRUNCATION, 9_974),
        /** Nobody notices that the topic has another id. */
        UNNOTICED_RECREATION(RECREATION, 33),
        /** Does not commit a chosen position before its first records are finished. */
        FORGOTTEN_PLACE(LATEST, 280),
        /** An added partition begins at its end. */
        ADDED_AT_END(LATEST, 481),
        /** A question is answered when all of it can be. */
        ALL_OR_NOTHING_LOOKUP(LEADERLESS, 54);

        final SimulatedEvent in;

        /** A world that shows it, as the loop is today: the first one to look at, since some are rare. */
        final long shownBy;

        Planted(SimulatedEvent in, long shownBy) {
            this.in = in;
            this.shownBy = shownBy;
        }
    }

    static final Set<Planted> NO_FAULT = Set.of();
}
