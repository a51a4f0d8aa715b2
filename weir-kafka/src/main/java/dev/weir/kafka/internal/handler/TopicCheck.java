package dev.weir.kafka.internal.handler;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.in.lookup.UnboundedRead;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies at the start of a run that the topics for failed records exist. A missing topic would stall the pipeline at
 * the first failed record.
 */
public final class TopicCheck {

    private static final Logger LOG = LoggerFactory.getLogger(TopicCheck.class);

    private static final long PATIENCE_MILLIS = 15_000;

    private TopicCheck() {}

    /**
     * Rejects a dead-letter topic that the flow itself reads. Failed records would return to the flow forever.
     *
     * @param source the properties of the flow's consumer
     * @param selection what the flow reads, for the message
     */
    public static void refuseLoop(DeadLetterTopic topic, Map<String, String> source, Object selection) {
        refuseLoop(topic.topic(), topic.settings(), source, selection);
    }

    /** Rejects dead-letter topics that a source upstream of the stage reads. */
    static void refuseLoop(List<String> topics, ProducerSettings<?, ?> settings, StageContext context) {
        for (UnboundedRead read : context.upstreamHandles(UnboundedRead.class)) {
            topics.stream()
                    .filter(read::includes)
                    .forEach(topic -> refuseLoop(topic, settings, read.properties(), read.selection()));
        }
    }

    private static void refuseLoop(
            String topic, ProducerSettings<?, ?> settings, Map<String, String> source, Object selection) {
        String brokers = source.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG);
        if (Objects.equals(brokers, settings.properties().get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG))) {
            throw new IllegalArgumentException("dead-letter topic " + topic + " is read by the flow too, which"
                    + " would read its own dead-letter records and write them again: subscription=" + selection
                    + "; choose another topic, or leave it out of the subscription");
        }
    }

    /** Throws if a topic does not exist. Logs a warning if the brokers do not respond within 15 s. */
    public static void check(ProducerSettings<?, ?> settings, List<String> topics) {
        Map<String, Object> config = new HashMap<>(settings.properties());
        config.keySet().retainAll(AdminClientConfig.configNames());
        Admin admin = Admin.create(config);
        try {
            var found = admin.describeTopics(topics).topicNameValues();
            // All topics share one deadline.
            long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
            found.forEach(
                    (topic, answer) -> check(topic, answer.toCompletionStage().toCompletableFuture(), deadlineNanos));
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    static void check(String topic, Future<?> answer, long deadlineNanos) {
        try {
            var ignored = answer.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof UnknownTopicOrPartitionException missing) {
                throw new KafkaPipelineException(
                        "there is no topic " + topic + ", where failed records should go; create it first", missing);
            }
            if (failure.getCause() instanceof InvalidTopicException invalid) {
                throw new KafkaPipelineException(
                        "no topic can have the name " + topic + ", where failed records should go: "
                                + Thrown.reason(invalid) + "; choose another name",
                        invalid);
            }
            LOG.warn("cannot check topic {}, where failed records should go: {}", topic, Thrown.reason(failure));
        } catch (TimeoutException failure) {
            LOG.warn("no answer about topic {}, where failed records should go, within {} ms", topic, PATIENCE_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new KafkaPipelineException("interrupted while looking for topic " + topic, interrupted);
        }
    }
}
