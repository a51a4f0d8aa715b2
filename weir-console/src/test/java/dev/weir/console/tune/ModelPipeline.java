package dev.weir.console.tune;

import dev.weir.console.ControlReport;
import dev.weir.metrics.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A pipeline whose rate is a function of its controls. The tuner's waits advance its clock. */
final class ModelPipeline implements TuneTarget {

    private record Setting(
            long value, long min, long max, @Nullable String dispatcher) {}

    final List<String> changes = new ArrayList<>();

    private final Map<String, Setting> settings = new LinkedHashMap<>();
    private Function<ModelPipeline, Double> rate = model -> 1_000.0;
    private Function<ModelPipeline, Double> failures = model -> 0.0;
    private Function<ModelPipeline, Duration> oldest = model -> Duration.ZERO;
    private Function<ModelPipeline, Duration> call = model -> Duration.ZERO;
    private Function<ModelPipeline, Double> taken = model -> Double.NaN;
    private Function<ModelPipeline, @Nullable Limiter> limiter = model -> null;
    private BiPredicate<String, Long> unwanted = (key, value) -> false;
    private long nanos;
    private long changedNanos;
    private double done;
    private double read;
    private double busyNanos;
    private double failed;
    private int reads;
    private int endAtRead = Integer.MAX_VALUE;
    private long backlog = -1;

    ModelPipeline stage(String name, long value, long max, @Nullable String dispatcher) {
        settings.put("stage." + name + ".parallelism", new Setting(value, 1, max, dispatcher));
        return this;
    }

    ModelPipeline control(String key, long value, long min, long max) {
        settings.put(key, new Setting(value, min, max, null));
        return this;
    }

    ModelPipeline rate(Function<ModelPipeline, Double> perSecond) {
        this.rate = perSecond;
        return this;
    }

    ModelPipeline failures(Function<ModelPipeline, Double> perSecond) {
        this.failures = perSecond;
        return this;
    }

    ModelPipeline oldest(Function<ModelPipeline, Duration> age) {
        this.oldest = age;
        return this;
    }

    /** Sets each stage's time per element. */
    ModelPipeline call(Function<ModelPipeline, Duration> time) {
        this.call = time;
        return this;
    }

    /** Adds a queue of {@code elements} in front of the stages, with the given rate of arrivals. */
    ModelPipeline queued(double elements, Function<ModelPipeline, Double> perSecond) {
        this.read = elements;
        this.taken = perSecond;
        return this;
    }

    /** Elements in the queue in front of the stages. */
    double queued() {
        return read - done;
    }

    ModelPipeline limiter(Function<ModelPipeline, @Nullable Limiter> of) {
        this.limiter = of;
        return this;
    }

    ModelPipeline backlog(long records) {
        this.backlog = records;
        return this;
    }

    ModelPipeline endAtRead(int number) {
        this.endAtRead = number;
        return this;
    }

    void end() {
        endAtRead = 0;
    }

    /** Refuses the changes for which the predicate holds. */
    ModelPipeline refuse(BiPredicate<String, Long> what) {
        this.unwanted = what;
        return this;
    }

    /** Seconds since the model began. */
    double seconds() {
        return nanos / 1e9;
    }

    /** Seconds since the last change of a control. */
    double sinceChange() {
        return (nanos - changedNanos) / 1e9;
    }

    long workers(String stage) {
        return value("stage." + stage + ".parallelism");
    }

    long value(String key) {
        return Objects.requireNonNull(settings.get(key), key).value();
    }

    @Override
    public TuneReading read() {
        reads++;
        TuneReading.Builder reading = TuneReading.builder(nanos)
                .stage("read", (long) read, (long) read)
                .failed((long) failed)
                .oldest(oldest.apply(this))
                .backlog(backlog)
                .limiter(limiter.apply(this));
        settings.forEach((key, each) -> {
            if (key.startsWith("stage.")) {
                String stage = key.substring(6, key.lastIndexOf('.'));
                reading.stage(stage, (long) done, (long) done);
                if (busyNanos > 0) {
                    reading.work(stage, (long) done, (long) busyNanos);
                }
            }
            Setting bound = settings.get("dispatcher." + each.dispatcher() + ".size");
            long max = bound == null ? each.max() : Math.min(each.max(), bound.value());
            reading.control(key, each.value(), each.min(), max, each.dispatcher());
        });
        return (reads >= endAtRead ? reading.ended() : reading).build();
    }

    @Override
    public ControlReport set(Map<String, String> wanted) {
        Map<String, String> applied = new LinkedHashMap<>();
        List<ControlReport.Refusal> refused = new ArrayList<>();
        wanted.forEach((key, text) -> {
            long value = Long.parseLong(text);
            Setting now = Objects.requireNonNull(settings.get(key), key);
            Setting bound = settings.get("dispatcher." + now.dispatcher() + ".size");
            if (value < now.min()
                    || value > now.max()
                    || (bound != null && value > bound.value())
                    || unwanted.test(key, value)) {
                refused.add(new ControlReport.Refusal(key, text, "out of bounds"));
            } else {
                settings.put(key, new Setting(value, now.min(), now.max(), now.dispatcher()));
                applied.put(key, text);
                changedNanos = nanos;
                changes.add(key + "=" + text);
            }
        });
        return ControlReport.of(applied, refused);
    }

    @Override
    public void await(Duration time) {
        nanos += time.toNanos();
        double finished = rate.apply(this) * time.toNanos() / 1e9;
        double came = taken.apply(this) * time.toNanos() / 1e9;
        done += finished;
        read += Double.isNaN(came) ? finished : came;
        busyNanos += finished * call.apply(this).toNanos();
        failed += failures.apply(this) * time.toNanos() / 1e9;
    }
}
