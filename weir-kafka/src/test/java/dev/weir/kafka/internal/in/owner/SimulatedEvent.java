package dev.weir.kafka.internal.in.owner;

import java.util.Set;

/** Events of topics in a simulation. Each seed selects some of the allowed events. */
enum SimulatedEvent {
    /** An unclean election truncates a log. New records follow at the same offsets, with a higher leader epoch. */
    TRUNCATION,
    /** The topic is deleted and recreated under the same name, with another topic id. Its logs start at 0. */
    RECREATION,
    /** The subscription starts at the end, the process dies before its first commit, and partitions are added. */
    LATEST,
    /** Partitions have no leader, temporarily or forever. Queries about them are not answered. */
    LEADERLESS;

    /** One in this many simulations has a given event, so most have one event or none. */
    static final int ONE_IN = 6;

    /** Faults that tests plant to verify that the simulation finds them. */
    enum Planted {
        /** Ignores the client's exception about a lost position. */
        SWALLOWED_TRUNCATION(TRUNCATION, 182),
        /** Omits the leader epochs from commits. */
        COMMITS_WITHOUT_EPOCH(TRUNCATION, 9_974),
        /** Ignores that the topic has a new id. */
        UNNOTICED_RECREATION(RECREATION, 33),
        /** Does not commit a chosen position before its first records are finished. */
        FORGOTTEN_PLACE(LATEST, 280),
        /** Starts an added partition at its end. */
        ADDED_AT_END(LATEST, 481),
        /** Answers a query only when it can answer for all of its partitions. */
        ALL_OR_NOTHING_LOOKUP(LEADERLESS, 54);

        final SimulatedEvent in;

        /** A seed that reveals the fault. Tests try it first. */
        final long shownBy;

        Planted(SimulatedEvent in, long shownBy) {
            this.in = in;
            this.shownBy = shownBy;
        }
    }

    static final Set<Planted> NO_FAULT = Set.of();
}
