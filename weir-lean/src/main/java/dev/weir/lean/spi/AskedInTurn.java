package dev.weir.lean.spi;

/**
 * Chooses the broker that receives the next metadata request. A broker that is cut off from the controllers continues
 * to return outdated metadata. The connection to a broker is therefore closed after {@link #PATIENCE} consecutive
 * responses that did not help, or if the broker's metadata are too old. The next requests then go to the brokers in the
 * metadata, one after the other. If none of them helps, the bootstrap brokers are asked as well. Confined to one
 * thread.
 */
public final class AskedInTurn {

    /**
     * The number of unhelpful responses from one broker after which another broker is asked. One response is not
     * enough, because a change in the cluster may not have reached any broker at the time of the first response.
     */
    private static final int PATIENCE = 2;

    /** True before the first response, and if the last response did not help. */
    private boolean doubted = true;

    /** The number of consecutive responses from the connected broker that did not help. */
    private int unhelpful;

    /** True if the connected broker has responded. */
    private boolean answered;

    /** The number of consecutive brokers that were asked without success. */
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
     * The number of times that all brokers were asked without success. If a host name resolves to several addresses,
     * each of these rounds uses another address.
     */
    public int round(int known, int bootstrap) {
        return vain / (known + bootstrap);
    }

    /**
     * Reports a response from the connected broker. If no doubt was reported about the previous response, the previous
     * response counts as helpful.
     */
    public void answered() {
        if (!doubted) {
            unhelpful = 0;
            vain = 0;
        }
        doubted = false;
        answered = true;
    }

    /** Reports that the last response did not help, because it was incomplete or the broker's identity was wrong. */
    public void doubt() {
        if (!doubted) {
            doubted = true;
            unhelpful++;
        }
    }

    /**
     * Reports that the last response contradicts another broker. The connection is then closed at once, so that a
     * different broker is asked.
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
