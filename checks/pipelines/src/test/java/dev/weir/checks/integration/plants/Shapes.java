package dev.weir.checks.integration.plants;

import dev.weir.checks.integration.plants.Work.Means;
import dev.weir.stream.Ordering;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Draws the parts of plants: a stage's form, its neighbours, and its position in the chain. */
final class Shapes {

    private static final List<String> SUBJECTS = List.of("score", "ledger", "geocode", "render", "lookup", "audit");
    private static final List<String> CHEAP = List.of("read", "check", "enrich", "format");
    private static final long CHEAP_NANOS = 2_000;

    /** The form in which a stage calls its work. */
    enum Form {
        MAP,
        OWN_THREAD,
        PARALLEL,
        BLOCKING,
        BLOCKING_IN_ORDER,
        ASYNC;

        boolean hasWorkers() {
            return this != MAP && this != OWN_THREAD;
        }
    }

    final Random random;
    final String subject;

    /** The number of cheap stages before the limiter; {@code after} counts the ones after it. */
    private final int before;

    private final int after;
    private final boolean wideNeighbour;

    Shapes(Random random) {
        this.random = random;
        this.subject = SUBJECTS.get(random.nextInt(SUBJECTS.size()));
        this.before = random.nextInt(4);
        this.after = random.nextInt(4 - before);
        this.wideNeighbour = random.nextInt(10) < 4;
    }

    <T> T oneOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    /** Draws a duration from a logarithmically uniform distribution. */
    Duration time(double leastMillis, double mostMillis) {
        double exponent = random.nextDouble();
        return Duration.ofNanos((long) (1e6 * leastMillis * Math.pow(mostMillis / leastMillis, exponent)));
    }

    /** Adds stages around the limiter. A neighbour that waits has four times the limiter's capacity. */
    <T> Source<T> chain(Source<T> source, double limitPerSecond, Middle<T> limiter) {
        Source<T> at = source;
        for (int i = 0; i < before; i++) {
            at = at.map(Shapes::cheap).named(CHEAP.get(i));
        }
        if (wideNeighbour && limitPerSecond < 4_000) {
            Work wait = new Work(Means.PARK, Duration.ofMillis(5));
            int workers = Math.max(2, (int) Math.ceil(limitPerSecond * 4 * 0.006));
            at = at.mapBlocking(workers, Ordering.unordered(), wait::call).named("fraud");
        }
        at = limiter.after(at);
        for (int i = 0; i < after; i++) {
            at = at.map(Shapes::cheap).named(CHEAP.get(3 - i));
        }
        return at;
    }

    String place() {
        return "after " + before + (wideNeighbour ? " and a wide one" : "") + ", before " + after;
    }

    private static <T> T cheap(T element) {
        Work.compute(CHEAP_NANOS);
        return element;
    }

    /** Returns the form of a stage with its own threads, if the tuning provides them. */
    static Form wider(Form form, Work work, Tuning tuning) {
        if (tuning.workers() == 0 || form.hasWorkers()) {
            return form;
        }
        return work.means == Means.COMPUTE ? Form.PARALLEL : Form.BLOCKING;
    }

    <T> Source<T> stage(Source<T> in, Form form, int workers, Work work) {
        return (switch (form) {
                    case MAP -> in.map(work::call);
                    case OWN_THREAD -> in.async().map(work::<T>call);
                    case PARALLEL -> in.mapParallel(workers, work::<T>call);
                    case BLOCKING -> in.mapBlocking(workers, Ordering.unordered(), work::<T>call);
                    case BLOCKING_IN_ORDER -> in.mapBlocking(workers, Ordering.input(), work::<T>call);
                    case ASYNC -> in.mapAsync(workers, work::<T>later);
                })
                .named(subject);
    }

    /** Inserts the limiting stage. */
    interface Middle<T> {
        Source<T> after(Source<T> before);
    }
}
