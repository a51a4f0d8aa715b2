package dev.weir.driver;

/** The kind of a driver's consumer group. It determines whether duplicates and changes of order count as faults. */
public enum GroupType {
    /**
     * A consumer group, or consumers without a group. Each partition has one owner, which reads its records in order.
     */
    CONSUMER,
    /** A share group: records are delivered at least once and without an order, so a repeated record is not a fault. */
    SHARE
}
