package dev.weir.testkit;

import dev.weir.stream.Pipeline;
import dev.weir.testkit.internal.simulation.Scenario;
import dev.weir.testkit.internal.simulation.SimulationRun;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Tests a pipeline in a simulated Kafka group, without a broker. Each seed determines one simulated run, called a
 * world. In a world, partitions are assigned, revoked and lost, handlers are slow, commits fail, and the process
 * crashes and restarts. {@link #run} throws a {@link SimulationViolation} if a guarantee is violated. Not thread-safe;
 * seeds run one after the other.
 *
 * <pre>{@code
 * RebalanceSimulation.of(kafka -> KafkaSource.from(settings(kafka.bootstrapServers()), "orders").atLeastOnce()
 *                 .mapBlocking(8, RecordOrdering.byKey(), order -> {
 *                     kafka.work(order);
 *                     return order;
 *                 })
 *                 .to(Sink.ignore()))
 *         .topic("orders", 3)
 *         .order(RebalanceSimulation.Order.KEY)
 *         .seeds(1, 1_000)
 *         .run();
 * }</pre>
 */
public final class RebalanceSimulation {

    /** The order in which records must be handled. */
    public enum Order {
        /** The records of a partition are handled one at a time, in offset order. */
        PARTITION,
        /** Within a partition, records with the same key are handled one at a time, in offset order. */
        KEY,
        /** Any order. */
        NONE
    }

    /** The number of times that a record may be handled. */
    public enum Delivery {
        /**
         * Each record is handled at least once. Once handled, it may be handled again only after its partition has been
         * assigned again, and only if reading then starts at or before the record.
         */
        AT_LEAST_ONCE,
        /** Each record is handled at most once, and only after a commit that covers it has been confirmed. */
        AT_MOST_ONCE
    }

    /**
     * Optional events of a simulated run, in addition to rebalances, crashes and failing commits. Each event can be
     * switched on or off.
     */
    public enum Event {
        /**
         * Partitions are revoked while handlers are waiting for a circuit breaker, for a retry or for each other. The
         * waiting handlers must then not begin records that the partitions' new owner may begin. Switch this event off
         * if an element contains several records.
         */
        TAKEOVER,
        /**
         * The brokers permanently reject a batch of output records but accept later ones. The pipeline may fail, and is
         * then restarted. At the end, the records in the output topic must be in the requested order.
         */
        REFUSED_BATCH,
        /**
         * Work fails with a {@link SimulatedFailure}, for individual records or, during an outage, for all records. Off
         * by default, because a pipeline without retries would fail.
         */
        FAILING_WORK
    }

    /** The events that occur unless they are {@linkplain #without switched off}. */
    private static final Set<Event> USUAL = Set.of(Event.TAKEOVER, Event.REFUSED_BATCH);

    /** Creates the contents of records. Called once for each record of each simulated run. */
    @FunctionalInterface
    public interface RecordMaker {

        /**
         * Returns the record at {@code offset}. The topic and partition in the result are ignored. Equal arguments must
         * give equal records.
         */
        ProducerRecord<byte[], byte[]> make(TopicPartition partition, long offset);
    }

    private static final int MAX_PARTITIONS = 64;

    private final Function<SimulatedKafka, Pipeline> pipeline;
    private final Map<String, Integer> topics = new LinkedHashMap<>();
    private RecordMaker records = RebalanceSimulation::numbered;
    private Order order = Order.NONE;
    private Delivery delivery = Delivery.AT_LEAST_ONCE;
    private Predicate<ConsumerRecord<byte[], byte[]>> ignored = record -> false;
    private final Set<Event> events = EnumSet.copyOf(USUAL);
    private long firstSeed = 1;
    private int seedCount = 100;

    private RebalanceSimulation(Function<SimulatedKafka, Pipeline> pipeline) {
        this.pipeline = Objects.requireNonNull(pipeline, "pipeline");
    }

    /**
     * Creates a simulation of a pipeline.
     *
     * @param pipeline creates the pipeline each time the process starts. The pipeline must have a single consumer,
     *     which connects to {@link SimulatedKafka#bootstrapServers()}.
     */
    public static RebalanceSimulation of(Function<SimulatedKafka, Pipeline> pipeline) {
        return new RebalanceSimulation(pipeline);
    }

    /** Adds a topic. A simulation needs at least one topic, and may have at most 64 partitions in total. */
    public RebalanceSimulation topic(String name, int partitions) {
        int all = topics.values().stream().mapToInt(Integer::intValue).sum() + partitions;
        if (partitions < 1 || all > MAX_PARTITIONS) {
            throw new IllegalArgumentException("a simulation has 1 to " + MAX_PARTITIONS + " partitions: partitions="
                    + partitions + " of " + name + ", in all " + all);
        }
        if (topics.putIfAbsent(Objects.requireNonNull(name, "name"), partitions) != null) {
            throw new IllegalArgumentException("topic " + name + " was added before");
        }
        return this;
    }

    /**
     * Sets the function that creates records. By default, a record has one of five keys {@code k0} to {@code k4} and a
     * value like {@code orders-0@17}.
     */
    public RebalanceSimulation records(RecordMaker maker) {
        this.records = Objects.requireNonNull(maker, "maker");
        return this;
    }

    /** Sets the order in which records must be handled. By default, no order is checked. */
    public RebalanceSimulation order(Order promised) {
        this.order = Objects.requireNonNull(promised, "promised");
        return this;
    }

    /** Sets how often each record may be handled. The default is at least once. */
    public RebalanceSimulation delivery(Delivery promised) {
        this.delivery = Objects.requireNonNull(promised, "promised");
        return this;
    }

    /**
     * Sets the records that the pipeline filters out and therefore does not handle. By default, the pipeline must
     * handle every record.
     */
    public RebalanceSimulation ignoring(Predicate<ConsumerRecord<byte[], byte[]>> filtered) {
        this.ignored = Objects.requireNonNull(filtered, "filtered");
        return this;
    }

    /** Switches these events on. By default, all events except {@link Event#FAILING_WORK} are on. */
    public RebalanceSimulation with(Event... classes) {
        for (Event each : Objects.requireNonNull(classes, "classes")) {
            events.add(Objects.requireNonNull(each, "classes"));
        }
        return this;
    }

    /** Switches these events off. */
    public RebalanceSimulation without(Event... classes) {
        for (Event each : Objects.requireNonNull(classes, "classes")) {
            events.remove(Objects.requireNonNull(each, "classes"));
        }
        return this;
    }

    /** Sets the seeds to run. The default is 100 seeds, starting at 1. */
    public RebalanceSimulation seeds(long first, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a simulation needs a seed: count=" + count);
        }
        this.firstSeed = first;
        this.seedCount = count;
        return this;
    }

    /**
     * Simulates one run per seed.
     *
     * @throws SimulationViolation at the first violated guarantee
     */
    public void run() {
        Scenario scenario = scenario();
        for (int i = 0; i < seedCount; i++) {
            var unused = new SimulationRun(scenario, firstSeed + i).run();
        }
    }

    /**
     * Simulates the run of one seed.
     *
     * @return the events, one per line
     * @throws SimulationViolation at the first violated guarantee
     */
    public List<String> replay(long seed) {
        return new SimulationRun(scenario(), seed).run();
    }

    private Scenario scenario() {
        if (topics.isEmpty()) {
            throw new IllegalStateException("a simulation needs a topic: call topic(name, partitions)");
        }
        return new Scenario(pipeline, topics, records, order, delivery, ignored, events);
    }

    private static ProducerRecord<byte[], byte[]> numbered(TopicPartition partition, long offset) {
        return new ProducerRecord<>(
                partition.topic(),
                ("k" + offset * 7 % 5).getBytes(StandardCharsets.UTF_8),
                (partition + "@" + offset).getBytes(StandardCharsets.UTF_8));
    }
}
