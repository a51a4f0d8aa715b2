package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.Subscription.Matching;
import dev.weir.kafka.Subscription.Partitions;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.Subscription.Topics;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The topics that a source reads until the pipeline is stopped. Immutable.
 *
 * @param properties the properties of the source's consumer
 */
public record UnboundedRead(Selection selection, Map<String, String> properties) {

    /** Returns whether the selection includes partitions of the topic. */
    public static boolean includes(Selection selection, String topic) {
        return switch (selection) {
            case Topics topics -> topics.names().contains(topic);
            case Matching matching -> Pattern.matches(matching.regex(), topic);
            case Partitions partitions ->
                partitions.ids().stream().anyMatch(id -> id.topic().equals(topic));
        };
    }

    public boolean includes(String topic) {
        return includes(selection, topic);
    }
}
