package dev.weir.driver;

/** Kinds of group by which a driver reads, which decide what its ledger may show. */
public enum GroupType {
    /** Partitions belong to members, in the order of their records; or there is no group. */
    CONSUMER,
    /** Records are lent to members, at least once and in no order: one that comes again is no fault. */
    SHARE
}
