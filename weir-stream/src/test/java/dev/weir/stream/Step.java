package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * An operator in two forms: a stage, and a function of a list. Immutable.
 *
 * @param keepsOrder whether the stage's output has the order of the model
 */
record Step(String name, boolean keepsOrder, Staged staged, Function<List<Long>, List<Long>> model) {

    /** Adds the stage to a source. Its functions first call {@code tick} for each element. */
    @FunctionalInterface
    interface Staged {
        Source<Item> apply(Source<Item> source, Lineage lineage, Runnable tick);
    }

    @Override
    public String toString() {
        return name;
    }

    private static Step of(
            String name, boolean keepsOrder, Staged staged, Function<LongStream, LongStream> elementwise) {
        return new Step(
                name,
                keepsOrder,
                staged,
                values -> elementwise
                        .apply(values.stream().mapToLong(value -> value))
                        .boxed()
                        .toList());
    }

    static Step map() {
        return of(
                "map",
                true,
                (source, lineage, tick) -> source.map(item -> {
                    tick.run();
                    return item.with(item.value + 1);
                }),
                values -> values.map(value -> value + 1));
    }

    static Step filter(int keepOneOf) {
        return of(
                "filter(" + keepOneOf + ")",
                true,
                (source, lineage, tick) -> source.filter(item -> {
                    tick.run();
                    boolean keep = item.value % keepOneOf == 0;
                    if (!keep) {
                        lineage.done(item);
                    }
                    return keep;
                }),
                values -> values.filter(value -> value % keepOneOf == 0));
    }

    /** Makes {@code value % (max + 1)} children of each element. */
    static Step mapConcat(int max) {
        return of(
                "mapConcat(" + max + ")",
                true,
                (source, lineage, tick) -> source.mapConcat(item -> {
                    tick.run();
                    int children = (int) (item.value % (max + 1));
                    lineage.split(item, children);
                    Iterable<Item> lazily = () -> LongStream.range(0, children)
                            .mapToObj(child -> item.with(item.value + child))
                            .iterator();
                    // Iterables and collections take different code paths. One collection reports a wrong size.
                    return item.value % 5 < 2 ? lazily : new Sized<>(lazily, item.value % 5 == 2 ? 0 : children);
                }),
                values -> values.flatMap(
                        value -> LongStream.range(0, value % (max + 1)).map(child -> value + child)));
    }

    /** Makes the same number of children for each element. */
    static Step fanOut(int children) {
        return of(
                "fanOut(" + children + ")",
                true,
                (source, lineage, tick) -> source.mapConcat(item -> {
                    tick.run();
                    lineage.split(item, children);
                    return () -> LongStream.range(0, children)
                            .mapToObj(child -> item.with(item.value + child))
                            .iterator();
                }),
                values -> values.flatMap(value -> LongStream.range(0, children).map(child -> value + child)));
    }

    static Step grouped(int size) {
        return new Step(
                "grouped(" + size + ")",
                true,
                (source, lineage, tick) -> source.grouped(size).map(items -> {
                    tick.run();
                    return Item.merged(items);
                }),
                values -> {
                    List<Long> sums = new ArrayList<>();
                    for (int i = 0; i < values.size(); i += size) {
                        sums.add(values.subList(i, Math.min(values.size(), i + size)).stream()
                                .collect(Collectors.summingLong(value -> value)));
                    }
                    return sums;
                });
    }

    static Step async(int buffer) {
        return of(
                "async(" + buffer + ")",
                true,
                (source, lineage, tick) -> source.async(Dispatcher.virtual(), buffer),
                values -> values);
    }

    static Step mapParallel(int workers) {
        return of(
                "mapParallel(" + workers + ")",
                true,
                (source, lineage, tick) -> source.mapParallel(workers, item -> {
                    tick.run();
                    return item.with(item.value + 2);
                }),
                values -> values.map(value -> value + 2));
    }

    static Step mapBlocking(int concurrency, String kind, Ordering<Item> ordering) {
        return of(
                "mapBlocking(" + concurrency + ", " + kind + ")",
                ordering.isInput(),
                (source, lineage, tick) -> source.mapBlocking(concurrency, ordering, item -> {
                    tick.run();
                    if (item.value % 3 == 0) {
                        LockSupport.parkNanos(1); // lets others overtake
                    }
                    return item.with(item.value + 3);
                }),
                values -> values.map(value -> value + 3));
    }

    static Step mapBlocking(int concurrency, int kind) {
        return switch (kind) {
            case 0 -> mapBlocking(concurrency, "input", Ordering.input());
            case 1 -> mapBlocking(concurrency, "unordered", Ordering.unordered());
            default -> mapBlocking(concurrency, "byKey", Ordering.byKey(item -> item.value % 17));
        };
    }

    /** Returns a chain of up to six steps. No grouping step follows a step that loses the order. */
    static List<Step> randomChain(Random random) {
        List<Step> chain = new ArrayList<>();
        boolean ordered = true;
        int length = 1 + random.nextInt(6);
        int expanding = 0;
        while (chain.size() < length) {
            Step step = switch (random.nextInt(7)) {
                case 0 -> map();
                case 1 -> filter(2 + random.nextInt(3));
                case 2 -> expanding++ < 2 ? mapConcat(1 + random.nextInt(4)) : map();
                case 3 -> ordered ? grouped(1 + random.nextInt(40)) : map();
                case 4 -> async(1 + random.nextInt(700));
                case 5 -> mapParallel(1 + random.nextInt(3));
                default -> mapBlocking(1 + random.nextInt(40), random.nextInt(3));
            };
            ordered &= step.keepsOrder();
            chain.add(step);
        }
        return chain;
    }

    /** A collection that reports the given size. */
    private static final class Sized<E> extends AbstractCollection<E> {

        private final Iterable<E> elements;
        private final int size;

        Sized(Iterable<E> elements, int size) {
            this.elements = elements;
            this.size = size;
        }

        @Override
        public Iterator<E> iterator() {
            return elements.iterator();
        }

        @Override
        public int size() {
            return size;
        }
    }
}
