package dev.weir.kafka.internal.lookup;

/**
 * Counts what has come from brokers so far. Immutable.
 *
 * @param answers responses of any broker
 * @param losses connections that were lost, and attempts at one that failed
 */
public record Contact(long answers, long losses) {

    /** Unknown contact: a client without metrics. */
    public static final Contact UNKNOWN = new Contact(-1, 0);

    boolean isKnown() {
        return answers >= 0;
    }

    public Contact plus(long moreAnswers, long moreLosses) {
        return isKnown() ? new Contact(answers + moreAnswers, losses + moreLosses) : this;
    }
}
