package dev.weir.kafka;

import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A function that creates the text to store with a committed offset, such as a host name, a time or a version. Other
 * programs can read it. Called on the consumer's owner thread just before a commit, so it must be fast and must not
 * block.
 *
 * <p>Weir also stores its own data in the metadata, such as finished offsets. {@link #userText} extracts the function's
 * text. If the function throws, or if the text and Weir's own data together exceed
 * {@link ConsumerSettings#commitMetadataChars}, the commit omits the text, and one warning per partition is logged.
 */
@FunctionalInterface
public interface CommitMetadata {

    /** A function that adds no text. */
    CommitMetadata NONE = (topic, partition, offset) -> "";

    /** Returns the text for the commit of {@code offset}; must not be null. */
    String of(String topic, int partition, long offset);

    /**
     * Extracts the function's text from the metadata of a committed offset. Metadata that Weir did not write is
     * returned unchanged.
     */
    static String userText(long committedOffset, String metadata) {
        try {
            return CommitText.decode(committedOffset, metadata).userText();
        } catch (IllegalArgumentException notOurs) {
            return metadata;
        }
    }

    /**
     * Returns how many offsets beyond the committed offset are marked as finished in the metadata. A consumer does not
     * read these offsets again. The count includes offsets without a record that lie between finished offsets. Returns
     * 0 for metadata that Weir did not write.
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

    /**
     * Returns the id of the topic that the committed offset belongs to. A different id shows that the topic was
     * recreated since. Returns null if the metadata contains no id, or if it was written for another offset.
     */
    static @Nullable Uuid topicId(long committedOffset, String metadata) {
        return CommitText.topicId(committedOffset, metadata);
    }

    /**
     * Returns metadata for a program that commits an offset itself. {@link #userText} and {@link #topicId} extract the
     * given text and id from it. The result is at most 37 characters longer than the text.
     */
    static String withTopicId(String userText, Uuid topicId, long offset) {
        String text = CommitText.encode(offset, FinishedSet.EMPTY, userText, Integer.MAX_VALUE);
        return CommitText.withTopicId(text, Objects.requireNonNull(topicId, "topicId"), offset, Integer.MAX_VALUE);
    }
}
