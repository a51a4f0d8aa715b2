package dev.weir.kafka;

/**
 * Determines whether a consumer leaves its group when it ends, even after a failure. Applies to both group protocols
 * and both fetch paths. A killed process does not leave its group.
 */
public enum OnClose {

    /** A member with a {@code group.instance.id} stays and any other member leaves, as with Kafka's client. */
    DEFAULT,

    /**
     * The member leaves, even if it is a static member, and other members receive its partitions immediately. Intended
     * for the last stop of a member, for example when scaling down.
     */
    LEAVE,

    /**
     * The member stays in the group until its session times out ({@code session.timeout.ms}; with the consumer
     * protocol, the group's {@code consumer.session.timeout.ms}). It keeps its partitions until then, and other members
     * do not notice a quick restart. A restarted process rejoins as the same member only with the same
     * {@code group.instance.id}. Without such an id, a classic group leaves the partitions unread until the timeout.
     * With {@code group.protocol=consumer}, a member without such an id leaves the group anyway (Kafka's client 4.4),
     * and the source logs this at its start.
     */
    REMAIN
}
