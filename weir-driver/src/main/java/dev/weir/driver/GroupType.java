package dev.weir.driver;

/** The kinds of groups with which a driver reads, which determine its allowed ledger. */
public enum GroupType {
    /** A consumer group or none: members own partitions, in record order. */
    CONSUMER,
    /** A share group: records are delivered at least once and unordered, so a repeated one is not a fault. */
    SHARE
}
