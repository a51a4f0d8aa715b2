package dev.weir.lean.spi;

/**
 * Chooses the broker for the next metadata request. A broker cut off from the controllers keeps answering with outdated
 * metadata. Its connection is therefore closed after {@link #PATIENCE} consecutive answers that did not help, and when
 * its metadata are too old. Then the brokers from the metadata are asked in turn, and after each was asked in vain, the
 * bootstrap brokers too. Confined to one thread.
 */
public final class AskedInTurn {

    /** Number of answers to wait for: the first answer may predate the other brokers' knowledge too. */
    private static final int PATIENCE = 2;

    /** True if the last answer did not help, and before the first answer. */
    private boolean doubted = true;

    /** The number of consecutive answers of the connected broker that did not help. */
    private int unhelpful;

    /** True if the connected broker has answered. */
    private boolean answered;

    /** The number of brokers asked in vain in a row. */
    private int vain;

    private int turn;

    /**
     * The index of the broker to connect to.
     *
     * @param known number of brokers in the metadata
     * @param bootstrap number of bootstrap addresses, at least 1
     * @return an index of the known brokers, or, from {@code known} on, of the bootstrap addresses
     */
    public int next(int known, int bootstrap) {
        int at = vain % (known + bootstrap);
        if (at >= known) {
            return at;
        }
        turn = (turn + 1) & Integer.MAX_VALUE;
        return turn % known;
    }

    /** The number of times all brokers were asked in vain. It selects another address of a name in each round. */
    public int round(int known, int bootstrap) {
        return vain / (known + bootstrap);
    }

    /** Reports an answer of the connected broker. If the one before was not doubted, it helped. */
    public void answered() {
        if (!doubted) {
            unhelpful = 0;
            vain = 0;
        }
        doubted = false;
        answered = true;
    }

    /** Reports that the last answer did not help: it is incomplete, or the broker's identity is wrong. */
    public void doubt() {
        if (!doubted) {
            doubted = true;
            unhelpful++;
        }
    }

    /** Reports that the last answer contradicts another broker, so its connection is closed at once. */
    public void contradicted() {
        doubted = true;
        unhelpful = PATIENCE;
    }

    /** Reports that the chosen broker could not be reached, or did not answer. */
    public void failed() {
        vain = (vain + 1) & Integer.MAX_VALUE;
        unhelpful = 0;
        answered = false;
    }

    /**
     * Returns whether to close the connection, so that another broker is asked.
     *
     * @param old whether the last answer is too old
     */
    public boolean isEnough(boolean old) {
        return answered && (old || unhelpful >= PATIENCE);
    }

    /** Reports the end of the connection: the next one goes to another broker. */
    public void left() {
        if (unhelpful > 0) {
            vain = (vain + 1) & Integer.MAX_VALUE;
        }
        unhelpful = 0;
        answered = false;
    }
}
