package dev.weir.kafka.internal.in.lookup;

/**
 * Counts what has come from brokers so far. Immutable.
 *
 * @param answers responses of any broker
 * @param losses connections that were lost, and attempts at one that failed
 */
public record BrokerContact(long answers, long losses) {

    /** Unknown contact: a client without metrics. */
    public static final BrokerContact UNKNOWN = new BrokerContact(-1, 0);

    boolean isKnown() {
        return answers >= 0;
    }

    public BrokerContact plus(long moreAnswers, long moreLosses) {
        return isKnown() ? new BrokerContact(answers + moreAnswers, losses + moreLosses) : this;
    }
}
