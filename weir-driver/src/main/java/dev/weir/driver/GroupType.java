package dev.weir.driver;

/** The kind of a driver's consumer group, which decides about duplicates and order in its ledger. */
public enum GroupType {
    /** A consumer group or none: members own partitions, in record order. */
    CONSUMER,
    /** A share group: records are delivered at least once and unordered, so a repeated one is not a fault. */
    SHARE
}
