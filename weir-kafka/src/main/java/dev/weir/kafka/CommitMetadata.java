package dev.weir.kafka;

import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;

/**
 * Makes the text stored with a committed offset for other readers: a host name, a time, a version. Called on the
 * consumer's own thread right before a commit, so it must be quick and must not block.
 *
 * <p>Weir stores the set of finished offsets in the same text; {@link #userText} separates the two. If the function
 * throws or returns more than {@link ConsumerSettings#commitMetadataChars}, the commit omits its text and one warning
 * per partition is logged.
 */
@FunctionalInterface
public interface CommitMetadata {

    /** Adds no text. */
    CommitMetadata NONE = (topic, partition, offset) -> "";

    /** The text for the commit of {@code offset}; not null. */
    String of(String topic, int partition, long offset);

    /**
     * Extracts the function's text from a committed offset's metadata. Metadata that Weir did not write is returned
     * unchanged.
     */
    static String userText(long committedOffset, String metadata) {
        try {
            return CommitText.decode(committedOffset, metadata).userText();
        } catch (IllegalArgumentException notOurs) {
            return metadata;
        }
    }

    /**
     * The number of offsets after the committed one that the metadata marks as finished, so they are not read again; 0
     * for metadata that Weir did not write. Offsets without a record count if finished offsets surround them.
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
