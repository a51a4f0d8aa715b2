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
 * Runs a pipeline in worlds drawn from seeds, without a broker: partitions come and go, or are lost, handlers are slow,
 * commits fail, the process crashes and starts again. Fails with a {@link SimulationViolation} when a promise does not
 * hold. Not thread-safe; a run takes as many seeds one after the other.
 *
 * <pre>{@code
 * RebalanceSimulation.of(kafka -> KafkaSource.atLeastOnce(settings(kafka.bootstrapServers()), "orders")
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

    /** Order in which work on records must happen. */
    public enum Order {
        /** One record of a partition at a time, by offset. */
        PARTITION,
        /** One record of a key at a time, and a partition's records by offset. */
        KEY,
        /** None. */
        NONE
    }

    /** The number of times that a record may be worked on. */
    public enum Delivery {
        /** Each record at least once; again only in a later assignment that begins before it. */
        AT_LEAST_ONCE,
        /** Each record at most once, and only when a commit past it is confirmed. */
        AT_MOST_ONCE
    }

    /**
     * The events of a world beside rebalances, crashes and failing commits: classes that can be switched off, or on.
     */
    public enum Event {
        /**
         * Partitions are taken away while handlers wait for a breaker, for a retry or for each other, and whoever has
         * them now is faster: no handler begins a record then that the new owner has begun. To be switched off for
         * elements that stand for several records, which are worked on to the end.
         */
        TAKEOVER,
        /**
         * The brokers refuse a batch of outputs for good and take those behind it. The pipeline may fail then, and is
         * started again; what stands in the output topic at last must be in the order asked for.
         */
        REFUSED_BATCH,
        /**
         * Work fails with a {@link SimulatedFailure}, once in a while or for some time whatever is tried. Off unless it
         * is switched on: a pipeline that does not try again fails by it.
         */
        FAILING_WORK
    }

    /** Troubles of worlds unless they are {@linkplain #without switched off}. */
    private static final Set<Event> USUAL = Set.of(Event.TAKEOVER, Event.REFUSED_BATCH);

    /** Says what a record consists of. Called once for each record of each world. */
    @FunctionalInterface
    public interface RecordMaker {

        /**
         * The record at {@code offset}; its own topic and partition do not count. Equal arguments give equal records.
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
     * A simulation of a pipeline.
     *
     * @param pipeline makes one, with a single consumer of {@link SimulatedKafka#bootstrapServers()}; called for each
     *     start of the process
     */
    public static RebalanceSimulation of(Function<SimulatedKafka, Pipeline> pipeline) {
        return new RebalanceSimulation(pipeline);
    }

    /** Adds a topic. At least one is needed, with 64 partitions in all at most. */
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
     * Sets the maker of records. Default: one of five keys {@code k0} to {@code k4}, and {@code orders-0@17} as the
     * value.
     */
    public RebalanceSimulation records(RecordMaker maker) {
        this.records = Objects.requireNonNull(maker, "maker");
        return this;
    }

    /** The order to check. Default: none. */
    public RebalanceSimulation order(Order promised) {
        this.order = Objects.requireNonNull(promised, "promised");
        return this;
    }

    /** Sets the promise on how often each record is worked on. Default: at least once. */
    public RebalanceSimulation delivery(Delivery promised) {
        this.delivery = Objects.requireNonNull(promised, "promised");
        return this;
    }

    /** Records that the pipeline does not work on, as it filters them. Default: it works on all. */
    public RebalanceSimulation ignoring(Predicate<ConsumerRecord<byte[], byte[]>> filtered) {
        this.ignored = Objects.requireNonNull(filtered, "filtered");
        return this;
    }

    /** Lets these befall worlds. Default: all but {@link Event#FAILING_WORK}. */
    public RebalanceSimulation with(Event... classes) {
        for (Event each : Objects.requireNonNull(classes, "classes")) {
            events.add(Objects.requireNonNull(each, "classes"));
        }
        return this;
    }

    /** Lets these befall no world. */
    public RebalanceSimulation without(Event... classes) {
        for (Event each : Objects.requireNonNull(classes, "classes")) {
            events.remove(Objects.requireNonNull(each, "classes"));
        }
        return this;
    }

    /** Sets the worlds to run. Default: 100, from seed 1 on. */
    public RebalanceSimulation seeds(long first, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a simulation needs a seed: count=" + count);
        }
        this.firstSeed = first;
        this.seedCount = count;
        return this;
    }

    /**
     * Runs the worlds of all seeds.
     *
     * @throws SimulationViolation at the first promise that does not hold
     */
    public void run() {
        Scenario scenario = scenario();
        for (long seed = firstSeed; seed < firstSeed + seedCount; seed++) {
            var unused = new SimulationRun(scenario, seed).run();
        }
    }

    /**
     * Runs the world of one seed.
     *
     * @return what happened, a line each
     * @throws SimulationViolation at the first promise that does not hold
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
