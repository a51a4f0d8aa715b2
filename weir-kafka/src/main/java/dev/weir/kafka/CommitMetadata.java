package dev.weir.kafka;

import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A function that creates the text to store with a committed offset, such as a host name, a time or a version. Called
 * on the consumer's owner thread before each commit; must be fast and must not block.
 *
 * <p>Weir also stores its own data in the metadata. {@link #userText} extracts the function's text. If the function
 * throws or the text does not fit into {@link ConsumerSettings#commitMetadataChars}, the commit omits the text. Weir
 * logs one warning per partition.
 */
@FunctionalInterface
public interface CommitMetadata {

    /** A function that adds no text. */
    CommitMetadata NONE = (topic, partition, offset) -> "";

    /** Returns the text for the commit of {@code offset}; must not be null. */
    String of(String topic, int partition, long offset);

    /**
     * Extracts the function's text from the metadata of a committed offset. Metadata not written by Weir is returned
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
     * Returns the number of finished offsets beyond the committed one, according to its metadata. A consumer does not
     * read them again. The count includes offsets without a record between finished offsets. Returns 0 for metadata not
     * written by Weir.
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
     * Returns the topic id stored with the committed offset. A recreated topic has a different id. Returns null if
     * there is no id, or if the metadata was written for another offset.
     */
    static @Nullable Uuid topicId(long committedOffset, String metadata) {
        return CommitText.topicId(committedOffset, metadata);
    }

    /**
     * Returns metadata for a program that commits an offset itself. {@link #userText} and {@link #topicId} extract the
     * text and the id. The result is at most 37 characters longer than the text.
     */
    static String withTopicId(String userText, Uuid topicId, long offset) {
        String text = CommitText.encode(offset, FinishedSet.EMPTY, userText, Integer.MAX_VALUE);
        return CommitText.withTopicId(text, Objects.requireNonNull(topicId, "topicId"), offset, Integer.MAX_VALUE);
    }
}
