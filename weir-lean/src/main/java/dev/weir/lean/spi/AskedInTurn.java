package dev.weir.lean.spi;

/**
 * Chooses the broker that is asked for metadata next. One that is cut off from the controllers goes on answering, with
 * what it knew: so that the same broker is not asked for ever, its connection is left after {@link #PATIENCE} answers
 * in a row that did not help, and when its metadata are too old. Then those that metadata name are asked in turn, and
 * when each of them was asked in vain those to bootstrap from, too. Confined to one thread.
 */
public final class AskedInTurn {

    /** The first answer may have come before the others knew of it, too. */
    private static final int PATIENCE = 2;

    /** True if the last answer did not help; true as long as there is none. */
    private boolean doubted = true;

    /** The number of answers in a row of the connected broker that did not help. */
    private int unhelpful;

    /** True if the one that is connected has answered. */
    private boolean answered;

    /** The number of brokers asked in vain in a row. */
    private int vain;

    private int turn;

    /**
     * The one to connect to.
     *
     * @param known how many brokers metadata name
     * @param bootstrap how many places there are to bootstrap from, at least 1
     * @return of the known ones, or, from {@code known} on, of those to bootstrap from
     */
    public int next(int known, int bootstrap) {
        int at = vain % (known + bootstrap);
        if (at >= known) {
            return at;
        }
        turn = (turn + 1) & Integer.MAX_VALUE;
        return turn % known;
    }

    /** The number of times all were asked in vain: a name may have several addresses, another one for each round. */
    public int round(int known, int bootstrap) {
        return vain / (known + bootstrap);
    }

    /** The one that is connected has answered. Nobody has doubted its answer before: then that one has helped. */
    public void answered() {
        if (!doubted) {
            unhelpful = 0;
            vain = 0;
        }
        doubted = false;
        answered = true;
    }

    /** The last answer did not help: it does not tell all, or a broker is not what it says. */
    public void doubt() {
        if (!doubted) {
            doubted = true;
            unhelpful++;
        }
    }

    /** The last answer contradicts what another broker said: the connection is left at once. */
    public void contradicted() {
        doubted = true;
        unhelpful = PATIENCE;
    }

    /** The one that was to be asked could not be reached, or did not answer. */
    public void failed() {
        vain = (vain + 1) & Integer.MAX_VALUE;
        unhelpful = 0;
        answered = false;
    }

    /**
     * Returns whether the connection is to be left, so that another broker is asked.
     *
     * @param old whether what was answered last is too old
     */
    public boolean isEnough(boolean old) {
        return answered && (old || unhelpful >= PATIENCE);
    }

    /** The connection is gone: the next one is to another broker. */
    public void left() {
        if (unhelpful > 0) {
            vain = (vain + 1) & Integer.MAX_VALUE;
        }
        unhelpful = 0;
        answered = false;
    }
}
