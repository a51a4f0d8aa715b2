package dev.weir.lean.internal.cluster;

/** The leader of a partition. Confined to the thread that processes metadata, except {@link #node}. */
public final class PartitionLeader {

    /** The node id if no leader is known. */
    public static final int NOBODY = -1;

    private static final int UNKNOWN = -1;

    private volatile int node = NOBODY;
    private int epoch = UNKNOWN;

    /** The node id, or {@link #NOBODY}. Thread-safe. */
    public int node() {
        return node;
    }

    /** The leader epoch; -1 if unknown. */
    public int epoch() {
        return epoch;
    }

    /** Sets the leader. Returns false and changes nothing if the epoch is older than the current one. */
    public boolean learn(int newNode, int newEpoch) {
        if (newEpoch < epoch) {
            return false;
        }
        epoch = newEpoch;
        node = newNode;
        return true;
    }

    /** Sets the leader from a hint (KIP-951). Returns false and changes nothing unless the epoch is newer. */
    public boolean hint(int newNode, int newEpoch) {
        return newEpoch > epoch && learn(newNode, newEpoch);
    }

    /** Forgets the epoch: the epochs of a recreated topic start again. */
    public void recreated() {
        epoch = UNKNOWN;
    }
}
