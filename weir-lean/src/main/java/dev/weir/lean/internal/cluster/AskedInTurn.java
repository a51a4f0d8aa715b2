package dev.weir.lean.internal.cluster;

/**
 * Chooses the broker for the next metadata request. The client leaves a broker after {@link #PATIENCE} bad responses in
 * a row, or if the last response is too old. It then tries the other known brokers in turn, and finally the bootstrap
 * brokers. Confined to one thread.
 */
public final class AskedInTurn {

    /** The client switches brokers after this many outdated or incomplete responses in a row. */
    private static final int PATIENCE = 2;

    /** True if the last response was outdated or incomplete, or if there is no response yet. */
    private boolean doubted = true;

    /** Number of outdated or incomplete responses in a row from the connected broker. */
    private int unhelpful;

    private boolean answered;

    /** Number of brokers tried in a row without success. */
    private int vain;

    private int turn;

    /**
     * Returns the index of the broker to connect to.
     *
     * @param known the number of brokers in the metadata
     * @param bootstrap the number of bootstrap addresses, at least 1
     * @return the index of a known broker or, starting at {@code known}, of a bootstrap address
     */
    public int next(int known, int bootstrap) {
        int at = vain % (known + bootstrap);
        if (at >= known) {
            return at;
        }
        turn = (turn + 1) & Integer.MAX_VALUE;
        return turn % known;
    }

    /** Number of rounds without success. Each round uses the next address of a host name. */
    public int round(int known, int bootstrap) {
        return vain / (known + bootstrap);
    }

    /** Reports a response from the connected broker. After a good response, resets the counts of failures. */
    public void answered() {
        if (!doubted) {
            unhelpful = 0;
            vain = 0;
        }
        doubted = false;
        answered = true;
    }

    /** Reports that the last metadata response was outdated or incomplete, or came from the wrong broker. */
    public void doubt() {
        if (!doubted) {
            doubted = true;
            unhelpful++;
        }
    }

    /** Reports that the last response contradicts another broker's. The client then switches brokers immediately. */
    public void contradicted() {
        doubted = true;
        unhelpful = PATIENCE;
    }

    /** Reports that the chosen broker could not be reached or did not respond. */
    public void failed() {
        vain = (vain + 1) & Integer.MAX_VALUE;
        unhelpful = 0;
        answered = false;
    }

    /**
     * Returns whether the connection should be closed, so that another broker is asked.
     *
     * @param old whether the last response is too old
     */
    public boolean isEnough(boolean old) {
        return answered && (old || unhelpful >= PATIENCE);
    }

    /** Reports that the connection was closed. The next connection goes to another broker. */
    public void left() {
        if (unhelpful > 0) {
            vain = (vain + 1) & Integer.MAX_VALUE;
        }
        unhelpful = 0;
        answered = false;
    }
}
