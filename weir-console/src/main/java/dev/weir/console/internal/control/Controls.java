package dev.weir.console.internal.control;

import dev.weir.console.ControlReport;
import dev.weir.console.ControlReport.Refusal;
import dev.weir.console.TimelineEntry;
import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.control.BufferControl;
import dev.weir.stream.control.DispatcherControl;
import dev.weir.stream.control.RateControl;
import dev.weir.stream.control.StageControl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Applies changes to the displayed pipeline. Thread-safe; applies one change at a time. */
public final class Controls {

    private static final String PARTITION = "partition.";
    private static final String STAGE = "stage.";
    private static final String DISPATCHER = "dispatcher.";
    private static final String BREAKER = "breaker.";
    private static final String LOG = "log.";
    private static final String PAUSED = ".paused";
    private static final String PARALLELISM = ".parallelism";
    private static final String SIZE = ".size";
    private static final String WINDOW = "source.maxOutstandingRecords";
    private static final String BYTES = "source.bufferBytes";
    private static final int MOST_NAMED = 12;

    /** Maximum number of threads that the page offers. Dispatchers accept more. */
    private static final int MOST_THREADS = 1024;

    /**
     * A setting that can be changed now.
     *
     * @param value the current value
     * @param min the lowest value; -1 if the setting is not a number
     * @param max the highest value; -1 if the setting is not a number
     * @param dispatcher the dispatcher on which a stage runs; null for other settings
     */
    public record Knob(
            String key,
            String value,
            long min,
            long max,
            @Nullable String dispatcher) {

        Knob(String key, String value, long min, long max) {
            this(key, value, min, max, null);
        }

        static Knob ofFlag(String key, boolean value) {
            return new Knob(key, Boolean.toString(value), -1, -1);
        }
    }

    private final Map<String, CircuitBreaker> breakers;
    private final Timeline timeline = new Timeline();
    private final LogLevels logLevels = LogLevels.ofProcess();
    private final long startNanos = System.nanoTime();
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable RunningPipeline shown;

    public Controls(Map<String, CircuitBreaker> breakers) {
        this.breakers = Map.copyOf(breakers);
    }

    public void show(RunningPipeline pipeline) {
        shown = pipeline;
    }

    public Timeline timeline() {
        return timeline;
    }

    /** Applies the changes in order and adds them to the timeline. A refused change does not stop the other changes. */
    public ControlReport set(Map<String, String> wanted, String by) {
        Map<String, String> applied = new LinkedHashMap<>();
        List<Refusal> refused = new ArrayList<>();
        lock.lock();
        try {
            wanted.forEach((key, value) -> {
                String reason = "";
                try {
                    apply(key, value);
                    applied.put(key, value);
                } catch (Refused e) {
                    reason = Timeline.reason(String.valueOf(e.getMessage()));
                    refused.add(new Refusal(key, value, reason));
                }
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
                timeline.add(TimelineEntry.of(Instant.now(), millis, key, value, by, reason));
            });
        } finally {
            lock.unlock();
        }
        return ControlReport.of(applied, List.copyOf(refused));
    }

    private void apply(String key, String value) throws Refused {
        try {
            if (key.equals("source.paused")) {
                pauseSource(flag(value));
            } else if (key.equals("source.rate")) {
                limitSource(value);
            } else if (key.equals(WINDOW)) {
                int records = number(value);
                buffers().forEach(buffer -> buffer.maxOutstandingRecords(records));
            } else if (key.equals(BYTES)) {
                long bytes = longNumber(value);
                buffers().forEach(buffer -> buffer.bufferBytes(bytes));
            } else if (key.startsWith(PARTITION) && key.endsWith(PAUSED)) {
                pausePartition(middle(key, PARTITION, PAUSED), flag(value));
            } else if (key.startsWith(STAGE) && key.endsWith(PARALLELISM)) {
                stage(middle(key, STAGE, PARALLELISM)).parallelism(number(value));
            } else if (key.startsWith(DISPATCHER) && key.endsWith(SIZE)) {
                dispatcher(middle(key, DISPATCHER, SIZE)).size(number(value));
            } else if (key.startsWith(BREAKER)) {
                force(key.substring(BREAKER.length()), value);
            } else if (key.startsWith(LOG) && key.length() > LOG.length()) {
                logLevels.set(key.substring(LOG.length()), value);
            } else {
                throw new Refused("there is no such control; there are source.paused, source.rate,"
                        + " source.maxOutstandingRecords, source.bufferBytes, partition.TOPIC-N.paused,"
                        + " stage.NAME.parallelism, dispatcher.NAME.size, breaker.NAME and log.LOGGER");
            }
        } catch (IllegalArgumentException | IllegalStateException | UnsupportedOperationException e) {
            throw new Refused(String.valueOf(e.getMessage()));
        }
    }

    private static String middle(String key, String before, String after) throws Refused {
        int end = key.length() - after.length();
        if (end <= before.length()) {
            throw new Refused("a name is missing between " + before + " and " + after);
        }
        return key.substring(before.length(), end);
    }

    private static boolean flag(String value) throws Refused {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new Refused("it must be true or false: " + value);
        };
    }

    /** Returns the value, or the nearest int: a setting refuses it with its own bounds. */
    private static int number(String value) throws Refused {
        return Math.clamp(longNumber(value), Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private static long longNumber(String value) throws Refused {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new Refused("it must be a whole number: " + value);
        }
    }

    private RunningPipeline pipeline() throws Refused {
        RunningPipeline pipeline = shown;
        if (pipeline == null) {
            throw new Refused("the pipeline has not started yet: try again in a moment");
        }
        if (pipeline.hasEnded()) {
            throw new Refused("pipeline " + pipeline.name() + " has ended");
        }
        return pipeline;
    }

    private List<ConsumerHandle> consumers() throws Refused {
        RunningPipeline pipeline = pipeline();
        List<ConsumerHandle> consumers = pipeline.handles(ConsumerHandle.class);
        if (consumers.isEmpty()) {
            throw new Refused("pipeline " + pipeline.name() + " reads from no Kafka consumer that could be paused");
        }
        return consumers;
    }

    private void pauseSource(boolean paused) throws Refused {
        for (ConsumerHandle consumer : consumers()) {
            var ignored = paused ? consumer.pause() : consumer.resume();
        }
    }

    private List<BufferControl> buffers() throws Refused {
        RunningPipeline pipeline = pipeline();
        List<BufferControl> buffers = pipeline.handles(BufferControl.class);
        if (buffers.isEmpty()) {
            throw new Refused("pipeline " + pipeline.name() + " reads from no Kafka consumer with its own buffer");
        }
        return buffers;
    }

    private void limitSource(String value) throws Refused {
        long perSecond = value.equals("off") ? 0 : longNumber(value);
        RunningPipeline pipeline = pipeline();
        List<RateControl> sources = pipeline.handles(RateControl.class);
        if (sources.isEmpty()) {
            throw new Refused("pipeline " + pipeline.name() + " reads from no consumer whose rate could be limited;"
                    + " throttle() sets a rate when the pipeline is built");
        }
        sources.forEach(source -> source.perSecond(perSecond));
    }

    private void pausePartition(String name, boolean paused) throws Refused {
        List<ConsumerHandle> consumers = consumers();
        for (ConsumerHandle consumer : consumers) {
            for (PartitionDump partition : consumer.dump().partitions()) {
                if (name.equals(nameOf(partition))) {
                    if (!paused && consumer.isPaused() && partition.paused().contains(Paused.USER)) {
                        throw new Refused("the source is paused, and " + name
                                + " with it: set source.paused=false, and then pause the other partitions");
                    }
                    List<TopicPartition> one = List.of(new TopicPartition(partition.topic(), partition.partition()));
                    var ignored = paused ? consumer.pause(one) : consumer.resume(one);
                    return;
                }
            }
        }
        List<String> names = consumers.stream()
                .flatMap(consumer -> consumer.dump().partitions().stream())
                .map(Controls::nameOf)
                .toList();
        throw new Refused("partition " + name + " is not assigned to this process; " + named(names));
    }

    private static String nameOf(PartitionDump partition) {
        return partition.topic() + "-" + partition.partition();
    }

    private static String named(List<String> names) {
        if (names.isEmpty()) {
            return "there is none";
        }
        int more = names.size() - MOST_NAMED;
        return "there are " + names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }

    private StageControl stage(String name) throws Refused {
        List<StageControl> controls = pipeline().handles(StageControl.class);
        for (StageControl control : controls) {
            if (control.stage().equals(name)) {
                return control;
            }
        }
        throw new Refused("no parallel stage is called " + name + "; "
                + named(controls.stream().map(StageControl::stage).toList()));
    }

    private DispatcherControl dispatcher(String name) throws Refused {
        List<DispatcherControl> controls = pipeline().handles(DispatcherControl.class);
        for (DispatcherControl control : controls) {
            if (control.snapshot().name().equals(name)) {
                return control;
            }
        }
        throw new Refused("pipeline " + pipeline().name() + " uses no dispatcher " + name + "; "
                + named(controls.stream().map(each -> each.snapshot().name()).toList()));
    }

    private void force(String name, String state) throws Refused {
        CircuitBreaker breaker = breakers.get(name);
        if (breaker == null) {
            throw new Refused("the console was given no circuit breaker " + name + "; "
                    + named(breakers.keySet().stream().sorted().toList()));
        }
        switch (state) {
            case "open" -> breaker.open();
            case "closed" -> breaker.close();
            default -> throw new Refused("a breaker can be set to open or closed: " + state);
        }
    }

    /** Returns the settings that can be changed now, without settings of single partitions and loggers. */
    public List<Knob> knobs() {
        RunningPipeline pipeline = shown;
        List<Knob> knobs = new ArrayList<>();
        if (pipeline == null || pipeline.hasEnded()) {
            return knobs;
        }
        if (!pipeline.handles(ConsumerHandle.class).isEmpty()) {
            knobs.add(Knob.ofFlag("source.paused", isSourcePaused(pipeline)));
        }
        pipeline.handles(RateControl.class).stream()
                .findFirst()
                .ifPresent(source -> knobs.add(
                        new Knob("source.rate", Long.toString((long) source.perSecond()), 0, Integer.MAX_VALUE)));
        pipeline.handles(BufferControl.class).stream().findFirst().ifPresent(buffer -> {
            knobs.add(new Knob(
                    WINDOW, Integer.toString(buffer.maxOutstandingRecords()), 1, buffer.mostOutstandingRecords()));
            knobs.add(new Knob(
                    BYTES,
                    Long.toString(buffer.bufferBytes()),
                    BufferControl.LEAST_BUFFER_BYTES,
                    buffer.mostBufferBytes()));
        });
        for (StageControl stage : pipeline.handles(StageControl.class)) {
            knobs.add(new Knob(
                    STAGE + stage.stage() + PARALLELISM,
                    Integer.toString(stage.parallelism()),
                    1,
                    stage.mostAtOnce(),
                    stage.dispatcher()));
        }
        for (DispatcherControl each : pipeline.handles(DispatcherControl.class)) {
            var now = each.snapshot();
            switch (now.kind()) {
                case FIXED, FORK_JOIN ->
                    knobs.add(new Knob(
                            DISPATCHER + now.name() + SIZE, Integer.toString(now.size()), each.fewest(), MOST_THREADS));
                case VIRTUAL, SINGLE -> {
                    // Dispatchers of virtual threads or of a single thread have a fixed size.
                }
            }
        }
        breakers.forEach((name, breaker) ->
                knobs.add(new Knob(BREAKER + name, breaker.state().name().toLowerCase(Locale.ROOT), -1, -1)));
        return knobs;
    }

    private static boolean isSourcePaused(RunningPipeline pipeline) {
        boolean any = false;
        for (ConsumerHandle consumer : pipeline.handles(ConsumerHandle.class)) {
            if (consumer.isPaused()) {
                any = true;
                continue;
            }
            for (PartitionDump partition : consumer.outline().partitions()) {
                if (!partition.paused().contains(Paused.USER)) {
                    return false;
                }
                any = true;
            }
        }
        return any;
    }
}
