package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.PipelineOutlets;
import dev.weir.kafka.internal.in.buffer.PipelineOutlets.Attachment;
import dev.weir.kafka.internal.in.buffer.SourceStage;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.UnboundedRead;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageContext.PatientTermination;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A consumer that outlives its pipelines. Thread-safe. */
public final class ReusableConsumerOwner<K, V> implements AutoCloseable {

    private static final ConsumerLog LOG = ConsumerLog.of(ReusableConsumerOwner.class);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(30);

    private final ConsumerSettings<K, V> settings;
    private final PipelineOutlets outlets = new PipelineOutlets();
    private final Map<Attachment, StageContext> readers = new ConcurrentHashMap<>();
    private final ConsumerStart.Started consumer;
    private final PartitionParking parking;
    private volatile @Nullable Throwable failure;

    /** Starts the consumer. It fetches a partition once a pipeline reads it. */
    public ReusableConsumerOwner(ConsumerSettings<K, V> settings, Subscription subscription) {
        if (subscription.isBounded()) {
            throw new IllegalArgumentException(
                    "a reusable consumer does not end by itself: until=" + subscription.end());
        }
        if (subscription.due() != null) {
            throw new IllegalArgumentException(
                    "dueAt does not go with a reusable consumer, whose pipelines have their own"
                            + " topics: give each its own source");
        }
        this.settings = settings;
        this.consumer = new ConsumerStart(settings, subscription, new ConsumerPlan.Delivery.Committable(), null)
                .start("shared", "several pipelines on one consumer", outlets, this::failed);
        this.parking = consumer.loop().share(outlets);
        consumer.loop().readBy(readers::values);
    }

    private void failed(Throwable cause) {
        failure = cause;
        readers.values().forEach(context -> context.fail(cause));
    }

    public ConsumerHandle handle() {
        return consumer.loop().control();
    }

    /**
     * Returns a source for one pipeline.
     *
     * @param topics the topics to read; if empty, all topics that no other pipeline reads
     */
    public SourceFactory<ConsumerRecord<K, V>> reader(Set<String> topics) {
        return context -> attach(topics, context);
    }

    private Stage<ConsumerRecord<K, V>> attach(Set<String> topics, StageContext context) {
        Attachment attachment = new Attachment(topics, context.clock());
        readers.put(attachment, context);
        if (failure != null) {
            readers.remove(attachment);
            throw new KafkaPipelineException("the reusable consumer has failed: " + Thrown.text(failure), failure);
        }
        try {
            parking.attach(attachment);
        } catch (RuntimeException refused) {
            readers.remove(attachment);
            throw refused;
        }
        LOG.info(
                "pipeline {}: reads {} by the consumer of several pipelines, at least once",
                context.pipelineName(),
                topics.isEmpty() ? "what no other pipeline reads" : new TreeSet<>(topics));
        context.onStop(() -> parking.stopEmission(attachment));
        context.onTermination(new PatientTermination() {
            @Override
            public String close(Duration patience) {
                String leftUndone = parking.detach(attachment, patience);
                readers.remove(attachment);
                LOG.info(
                        "pipeline {}: ended; {}",
                        context.pipelineName(),
                        leftUndone.isEmpty() ? "nothing is left unfinished" : leftUndone);
                return leftUndone;
            }

            @Override
            public void hurry(Duration patience) {
                parking.hurry(attachment, patience);
            }
        });
        context.exposeResource(handle());
        if (!topics.isEmpty()) { // otherwise, another pipeline may read the dead-letter topic
            context.exposeResource(new UnboundedRead(new Subscription.Topics(topics), settings.properties()));
        }
        context.depth(attachment.buffer::records);
        return new SourceStage<>(
                attachment.buffer,
                settings,
                context.meter(),
                consumer.loop().isTracked(),
                consumer.loop()::taken,
                () -> parking.stopEmission(attachment));
    }

    /** Closes the consumer and ends the pipelines that still read from it. */
    @Override
    public void close() {
        consumer.loop().stop();
        String leftUndone = consumer.close(CLOSE_PATIENCE);
        if (!leftUndone.isEmpty()) {
            LOG.warn("the reusable consumer was closed before its pipelines were done: {}", leftUndone);
        }
    }
}
