package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.position.OffsetQueries;
import dev.weir.stream.spi.Thrown;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Logs a consumer's run at INFO: its subscription and settings, its partitions, and its end. Confined to the owner
 * thread, except for {@link #begins}, which is called before that thread starts.
 */
final class RunLog {

    private static final ConsumerLog LOG = ConsumerLog.of(RunLog.class);

    /** Replaced by {@link #begins}. */
    private String name = "consumer";

    private @Nullable String failure;

    /**
     * Logs the start of a run.
     *
     * @param newName identifies the run in every log line
     * @param guarantee the delivery guarantee in words
     */
    void begins(String newName, ConsumerSettings<?, ?> settings, Subscription subscription, String guarantee) {
        name = newName;
        LOG.info(
                "{}: reads {}{} {}, {}, fetched by {}",
                name,
                subscription.selection(),
                subscription.isBounded() ? " to the end of this moment" : "",
                settings.groupId() == null ? "without a group" : "as group " + settings.groupId(),
                guarantee,
                path(settings));
    }

    private static String path(ConsumerSettings<?, ?> settings) {
        String path = settings.fetch() == FetchPath.CLIENT
                ? "Kafka's client"
                : "the " + settings.fetch().name().toLowerCase(Locale.ROOT) + " path";
        return settings.fetchThreads() == 1 ? path : path + " in " + settings.fetchThreads() + " threads";
    }

    void assigned(Collection<TopicPartition> ids, int now) {
        if (!ids.isEmpty()) {
            LOG.info("{}: assigned {}; has {} partitions now", name, OffsetQueries.names(sorted(ids)), now);
        }
    }

    void revoked(Collection<TopicPartition> ids, int now) {
        LOG.info("{}: gave {} back to the group; has {} partitions now", name, OffsetQueries.names(sorted(ids)), now);
    }

    private static List<TopicPartition> sorted(Collection<TopicPartition> ids) {
        return ids.stream()
                .sorted((one, other) -> one.topic().equals(other.topic())
                        ? Integer.compare(one.partition(), other.partition())
                        : one.topic().compareTo(other.topic()))
                .toList();
    }

    /** Sets the failure that ends the run. Later failures are ignored. */
    void fails(Throwable cause) {
        if (failure == null) {
            failure = Thrown.reason(cause);
        }
    }

    /**
     * Logs the end of the run.
     *
     * @param leftUndone describes records that are unfinished or could not be committed
     */
    void ended(List<String> leftUndone) {
        String left = leftUndone.isEmpty() ? "nothing is left unfinished" : String.join("; ", leftUndone);
        if (failure == null) {
            LOG.info("{}: {}; {}", name, leftUndone.isEmpty() ? "drained and ended" : "ended", left);
        } else {
            LOG.info("{}: ended by a failure: {}; {}", name, failure, left);
        }
    }
}
