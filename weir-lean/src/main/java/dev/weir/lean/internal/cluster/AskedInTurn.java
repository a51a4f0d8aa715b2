package dev.weir.lean.internal.cluster;

/**
 * Chooses the broker for the next metadata request. A broker that is cut off from the controllers keeps returning
 * outdated metadata. The connection to a broker is therefore closed after {@link #PATIENCE} consecutive unhelpful
 * (outdated or incomplete) responses, or once the broker's last response is too old. The next requests go to the
 * brokers in the metadata, one after the other. If none of them helps, the bootstrap brokers are tried too. Confined to
 * one thread.
 */
public final class AskedInTurn {

    /**
     * The number of consecutive unhelpful responses after which the client switches to another broker. A single
     * response is not enough, because it may have been sent before any broker had learned about a change in the
     * cluster.
     */
    private static final int PATIENCE = 2;

    /** True if the last response was outdated or incomplete, or if there has been no response yet. */
    private boolean doubted = true;

    /** The number of consecutive outdated or incomplete responses from the connected broker. */
    private int unhelpful;

    /** True if the connected broker has responded. */
    private boolean answered;

    /** The number of brokers tried in a row without success. */
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

    /**
     * The number of complete rounds in which every broker was tried without success. If a host name resolves to several
     * addresses, the client uses the next address in each round.
     */
    public int round(int known, int bootstrap) {
        return vain / (known + bootstrap);
    }

    /**
     * Reports a response from the connected broker. If neither {@link #doubt} nor {@link #contradicted} was called
     * after the previous response, that response was helpful, and the counts of unhelpful responses and failed brokers
     * restart at zero.
     */
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

    /**
     * Reports that the last response contradicts the response of another broker. {@link #isEnough} then returns true,
     * so that the client switches to a different broker immediately.
     */
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
