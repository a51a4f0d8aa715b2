package dev.weir.kafka;

import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;

/**
 * Makes the text that is kept beside a committed offset for its readers: a host name, a time, a version. Called on the
 * consumer's own thread right before a commit, so it must be quick and must not block.
 *
 * <p>Weir keeps the finished set in the same text; {@link #userText} takes the two apart. If the function throws, or
 * says more than {@link ConsumerSettings#commitMetadataChars}, the commit goes without its text, with one warning per
 * partition.
 */
@FunctionalInterface
public interface CommitMetadata {

    /** Nothing. */
    CommitMetadata NONE = (topic, partition, offset) -> "";

    /** The text for the commit of {@code offset}; not null. */
    String of(String topic, int partition, long offset);

    /**
     * The function's text, taken from the metadata of a committed offset as Kafka's clients and tools show it; metadata
     * that Weir did not write is returned as it is.
     */
    static String userText(long committedOffset, String metadata) {
        try {
            return CommitText.decode(committedOffset, metadata).userText();
        } catch (IllegalArgumentException notOurs) {
            return metadata;
        }
    }

    /**
     * The number of offsets past the committed one that the metadata mark as finished and that will not be read again;
     * 0 for metadata that Weir did not write. Offsets without a record count where finished ones surround them.
     */
    static long finishedPast(long committedOffset, String metadata) {
        try {
            FinishedSet finished = CommitText.decode(committedOffset, metadata).finished();
            long count = 0;
            for (int run = 0; run < finished.runs(); run++) {
                count += finished.to(run) - finished.from(run);
            }
            return count;
        } catch (IllegalArgumentException notOurs) {
            return 0;
        }
    }
}
