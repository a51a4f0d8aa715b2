package dev.weir.kafka.internal.in.lookup;

/**
 * Counts of broker responses and lost connections so far. Immutable.
 *
 * @param answers responses from any broker
 * @param losses lost connections and failed connection attempts
 */
public record BrokerContact(long answers, long losses) {

    /** The counts if the client has no metrics. */
    public static final BrokerContact UNKNOWN = new BrokerContact(-1, 0);

    boolean isKnown() {
        return answers >= 0;
    }

    public BrokerContact plus(long moreAnswers, long moreLosses) {
        return isKnown() ? new BrokerContact(answers + moreAnswers, losses + moreLosses) : this;
    }
}
