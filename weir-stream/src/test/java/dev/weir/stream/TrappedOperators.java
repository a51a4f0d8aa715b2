package dev.weir.stream;

import java.time.Duration;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Rows of the {@link SupervisionMatrixTest}: operators whose functions throw. Stateless. */
final class TrappedOperators {

    static final int INPUTS = 1500;
    static final int FIRST_BAD = 3;

    private TrappedOperators() {}

    /** Throws for bad elements, at each call or only at the first. */
    static class Trap {
        private final Set<Integer> sprung = ConcurrentHashMap.newKeySet();
        private final Throwable toThrow;
        private final boolean onceOnly;

        Trap(Throwable toThrow, boolean onceOnly) {
            this.toThrow = toThrow;
            this.onceOnly = onceOnly;
        }

        static boolean isBad(int n) {
            return n % 5 == FIRST_BAD || (n >= 600 && n < 700);
        }

        int pass(int n) {
            if (isBad(n) && (sprung.add(n) || !onceOnly)) {
                if (toThrow instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) toThrow;
            }
            return n;
        }
    }

    /**
     * An operator whose function throws for bad elements.
     *
     * @param keepsOrder whether the output has the order of the input
     * @param failsInOrder whether a failing stage has emitted exactly the elements before the failing one
     * @param ofBad the output for a skipped bad element
     * @param retries whether a failed call can be tried again
     */
    record Trapped(
            String name,
            boolean keepsOrder,
            boolean failsInOrder,
            Function<Trap, UnaryOperator<Source<Integer>>> operator,
            Function<Integer, List<Integer>> ofGood,
            Function<Integer, List<Integer>> ofBad,
            boolean retries) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Trapped trapped(
            String name,
            boolean keepsOrder,
            boolean failsInOrder,
            Function<Trap, UnaryOperator<Source<Integer>>> operator) {
        return new Trapped(name, keepsOrder, failsInOrder, operator, List::of, bad -> List.of(), true);
    }

    private static List<Trapped> asynchronous() {
        List<Trapped> operators = new ArrayList<>();
        for (int parallelism : new int[] {1, 16}) {
            operators.add(trapped(
                    "mapAsync, input, done, " + parallelism,
                    true,
                    false,
                    trap -> source ->
                            source.mapAsync(parallelism, n -> CompletableFuture.completedFuture(trap.pass(n)))));
            operators.add(trapped(
                    "mapAsync, by key, later, " + parallelism,
                    false,
                    false,
                    trap -> source -> source.mapAsync(
                            parallelism,
                            Ordering.<Integer>byKey(n -> n % 17),
                            n -> CompletableFuture.supplyAsync(() -> trap.pass(n)))));
        }
        operators.add(trapped(
                "key of mapAsync",
                false,
                false,
                trap -> source -> source.mapAsync(
                        4, Ordering.<Integer>byKey(n -> trap.pass(n) % 17), CompletableFuture::completedFuture)));
        return operators;
    }

    /** Returns operators that process batches in place. */
    private static List<Trapped> inPlace() {
        return List.of(
                trapped("tap", true, true, trap -> source -> source.tap(trap::pass)),
                trapped("collect", true, true, trap -> source -> source.collect(trap::pass)),
                trapped("takeWhile", true, true, trap -> source -> source.takeWhile(n -> trap.pass(n) >= 0)),
                trapped("deduplicate", true, true, trap -> source -> source.deduplicate(trap::pass, INPUTS)),
                trapped("dropRepeated", true, true, trap -> source -> source.dropRepeated(trap::pass)));
    }

    private static List<Trapped> timed() {
        return List.of(
                trapped(
                        "throttle",
                        true,
                        true,
                        trap -> source -> source.throttle(
                                10_000_000, Duration.ofSeconds(1), 10, n -> trap.pass(n) % 7, ThrottleMode.SHAPING)),
                trapped(
                        "throttlePerKey",
                        false,
                        true,
                        trap -> source ->
                                source.throttlePerKey(INPUTS, Duration.ofNanos(1), INPUTS, n -> trap.pass(n) % 7)),
                trapped(
                        "delay",
                        true,
                        true,
                        trap -> source -> source.delay(n -> Duration.ofNanos(trap.pass(n) % 7), 100)));
    }

    static List<Trapped> all() {
        List<Trapped> operators = new ArrayList<>(List.of(
                trapped("map", true, true, trap -> source -> source.map(trap::pass)),
                trapped("filter", true, true, trap -> source -> source.filter(n -> trap.pass(n) >= 0)),
                new Trapped(
                        "mapConcat",
                        true,
                        true,
                        trap -> source -> source.mapConcat(n -> List.of(trap.pass(n), n)),
                        n -> List.of(n, n),
                        n -> List.of(),
                        true),
                new Trapped(
                        "mapConcat, iterator",
                        true,
                        true,
                        trap -> source -> source.mapConcat(n -> () -> twoChildren(n, trap)),
                        n -> List.of(n, n),
                        List::of,
                        false),
                new Trapped(
                        "mapConcat, collection",
                        true,
                        true,
                        trap -> source -> source.mapConcat(n -> collection(() -> twoChildren(n, trap))),
                        n -> List.of(n, n),
                        List::of,
                        false),
                trapped("mapParallel", true, true, trap -> source -> source.mapParallel(3, trap::pass))));
        for (int concurrency : new int[] {1, 16}) {
            operators.add(trapped(
                    "mapBlocking, input, " + concurrency,
                    true,
                    false,
                    trap -> source -> source.mapBlocking(concurrency, Ordering.input(), trap::pass)));
            operators.add(trapped(
                    "mapBlocking, unordered, " + concurrency,
                    false,
                    false,
                    trap -> source -> source.mapBlocking(concurrency, Ordering.unordered(), trap::pass)));
            operators.add(trapped(
                    "mapBlocking, by key, " + concurrency,
                    false,
                    false,
                    trap -> source -> source.mapBlocking(concurrency, Ordering.byKey(n -> n % 17), trap::pass)));
        }
        operators.addAll(asynchronous());
        operators.addAll(inPlace());
        operators.addAll(timed());
        operators.addAll(TrappedStreams.all());
        operators.add(trapped(
                "key of mapBlocking",
                false,
                false,
                trap -> source -> source.mapBlocking(4, Ordering.byKey(n -> trap.pass(n) % 17), n -> n)));
        return operators;
    }

    /** Returns one child. The second child may throw. */
    private static Iterator<Integer> twoChildren(int n, Trap trap) {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < 2;
            }

            @Override
            public Integer next() {
                return next++ == 0 ? n : trap.pass(n);
            }
        };
    }

    private static Collection<Integer> collection(Supplier<Iterator<Integer>> children) {
        return new AbstractCollection<>() {
            @Override
            public Iterator<Integer> iterator() {
                return children.get();
            }

            @Override
            public int size() {
                return 2;
            }
        };
    }
}
