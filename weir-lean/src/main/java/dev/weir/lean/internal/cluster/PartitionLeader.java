package dev.weir.lean.internal.cluster;

/** The leader of a partition. Confined to the thread that learns metadata, except {@link #node}. */
public final class PartitionLeader {

    /** Node id while no leader is known. */
    public static final int NOBODY = -1;

    private static final int UNKNOWN = -1;

    private volatile int node = NOBODY;
    private int epoch = UNKNOWN;

    /** Returns the node id, or {@link #NOBODY}. Thread-safe. */
    public int node() {
        return node;
    }

    /** Returns the leader epoch, or -1 if unknown. */
    public int epoch() {
        return epoch;
    }

    /** Learns a leader. Returns false for an older epoch: a broker that missed the last election changes nothing. */
    public boolean learn(int newNode, int newEpoch) {
        if (newEpoch < epoch) {
            return false;
        }
        epoch = newEpoch;
        node = newNode;
        return true;
    }

    /** Learns the leader that a broker names in its refusal (KIP-951). Returns false unless its epoch is newer. */
    public boolean hint(int newNode, int newEpoch) {
        return newEpoch > epoch && learn(newNode, newEpoch);
    }

    /** Accepts any epoch next, because epochs of a recreated topic start again. */
    public void recreated() {
        epoch = UNKNOWN;
    }
}
