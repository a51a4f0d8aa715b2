package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Grouping and timed operators that drop nothing, as {@link Step}s. Stateless. */
final class TimedSteps {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofNanos(1);

    /** Marks an element that is not derived from any input. */
    private static final long REPEATED = -1;

    private TimedSteps() {}

    static List<Step> all() {
        return Stream.of(gathering(), demandDriven(), holding())
                .flatMap(List::stream)
                .toList();
    }

    /** Returns the steps whose elements may overtake each other. */
    static List<Step> reordering() {
        return List.of(
                throttledPerKey("throttlePerKey(7 keys)", false, 7, 1024),
                throttledPerKey("throttlePerKey(7 keys, 3 held)", false, 7, 3));
    }

    private static Step throttledPerKey(String name, boolean keepsOrder, int keys, int maxHeld) {
        return new Step(
                name,
                keepsOrder,
                (source, lineage, tick) -> source.throttlePerKey(
                        200_000, Duration.ofSeconds(1), 10, item -> ticked(tick, item.value % keys), maxHeld),
                values -> values);
    }

    private static List<Step> gathering() {
        return List.of(
                grouped("groupedWithin(1, long)", 1, source -> source.groupedWithin(1, LONG)),
                grouped("groupedWithin(7, long)", 7, source -> source.groupedWithin(7, LONG)),
                grouped("groupedWithin(1000, long)", 1000, source -> source.groupedWithin(1000, LONG)),
                flattened("groupedWithin(7, short)", source -> source.groupedWithin(7, SHORT)),
                weighted("groupedWeighted(1)", 1, (source, weight) -> source.groupedWeighted(1, weight::apply)),
                weighted("groupedWeighted(17)", 17, (source, weight) -> source.groupedWeighted(17, weight::apply)),
                weighted(
                        "groupedWeightedWithin(17, long)",
                        17,
                        (source, weight) -> source.groupedWeightedWithin(17, LONG, weight::apply)),
                adjacent("groupedAdjacentBy(1)", 1, (source, key) -> source.groupedAdjacentBy(key, 1)),
                adjacent("groupedAdjacentBy(3)", 3, (source, key) -> source.groupedAdjacentBy(key, 3)),
                adjacent(
                        "groupedAdjacentBy(1000, long)",
                        1000,
                        (source, key) -> source.groupedAdjacentBy(key, 1000, LONG)),
                ticking(
                        "groupedAdjacentBy(1000, short)",
                        (source, tick) -> source.groupedAdjacentBy(item -> ticked(tick, item.value / 5), 1000, SHORT)
                                .mapConcat(items -> items)),
                ticking(
                        "groupedWeightedWithin(100, short)",
                        (source, tick) -> source.groupedWeightedWithin(100, SHORT, item -> ticked(tick, item.value % 5))
                                .mapConcat(items -> items)));
    }

    private static List<Step> demandDriven() {
        return List.of(
                ticking("batch(1)", (source, tick) -> gather(source, tick, 1)),
                ticking("batch(10)", (source, tick) -> gather(source, tick, 10)),
                ticking("batch(100000)", (source, tick) -> gather(source, tick, 100_000)),
                ticking(
                        "batchWeighted",
                        (source, tick) -> source.<List<Item>>batchWeighted(
                                        30,
                                        item -> ticked(tick, item.value % 5),
                                        TimedSteps::listOf,
                                        TimedSteps::append)
                                .mapConcat(items -> items)),
                ticking(
                        "conflateWithSeed",
                        (source, tick) -> source.<List<Item>>conflateWithSeed(
                                        item -> ticked(tick, listOf(item)),
                                        (list, item) -> ticked(tick, append(list, item)))
                                .mapConcat(items -> items)),
                ticking(
                        "expand",
                        (source, tick) -> source.expand(item -> ticked(tick, Stream.of(item, repeated(), repeated()))
                                        .iterator())
                                .filter(item -> item.value != REPEATED)),
                ticking(
                        "extrapolate",
                        (source, tick) -> source.extrapolate(item -> ticked(tick, Stream.of(repeated(), repeated()))
                                        .iterator())
                                .filter(item -> item.value != REPEATED)));
    }

    private static List<Step> holding() {
        return List.of(
                unchanged("buffer(1)", source -> source.buffer(1, OverflowStrategy.BACKPRESSURE)),
                unchanged("buffer(700)", source -> source.buffer(700, OverflowStrategy.BACKPRESSURE)),
                unchanged("buffer(big, head)", source -> source.buffer(100_000, OverflowStrategy.DROP_HEAD)),
                unchanged("buffer(big, fail)", source -> source.buffer(100_000, OverflowStrategy.FAIL)),
                unchanged("throttle", source -> source.throttle(1_000_000, Duration.ofSeconds(1))),
                ticking(
                        "throttle(cost)",
                        (source, tick) -> source.throttle(
                                10_000_000,
                                Duration.ofSeconds(1),
                                10,
                                item -> ticked(tick, item.value % 20),
                                ThrottleMode.SHAPING)),
                throttledPerKey("throttlePerKey(one key)", true, 1, 1024),
                unchanged("delay", source -> source.delay(Duration.ofMillis(1))),
                ticking(
                        "delay(by element)",
                        (source, tick) ->
                                source.delay(item -> ticked(tick, Duration.ofNanos(item.value % 7 * 1000)), 100)),
                unchanged("takeWithin(long)", source -> source.takeWithin(LONG)),
                unchanged("dropWithin(no time)", source -> source.dropWithin(Duration.ZERO)),
                unchanged("initialDelay", source -> source.initialDelay(Duration.ofMillis(1))));
    }

    private static <T> T ticked(Runnable tick, T value) {
        tick.run();
        return value;
    }

    private static Item repeated() {
        return Item.merged(List.of()).with(REPEATED);
    }

    private static List<Item> listOf(Item first) {
        return new ArrayList<>(List.of(first));
    }

    private static List<Item> append(List<Item> list, Item item) {
        list.add(item);
        return list;
    }

    private static Source<Item> gather(Source<Item> source, Runnable tick, long max) {
        return source.<List<Item>>batch(max, item -> ticked(tick, listOf(item)), TimedSteps::append)
                .mapConcat(items -> items);
    }

    private static Step unchanged(String name, UnaryOperator<Source<Item>> stage) {
        return ticking(name, (source, tick) -> stage.apply(source).map(item -> ticked(tick, item)));
    }

    private static Step flattened(String name, Function<Source<Item>, Source<List<Item>>> stage) {
        return unchanged(name, source -> stage.apply(source).mapConcat(items -> items));
    }

    private static Step ticking(String name, Ticking stage) {
        return new Step(name, true, (source, lineage, tick) -> stage.apply(source, tick), values -> values);
    }

    private static Step grouped(String name, int size, Function<Source<Item>, Source<List<Item>>> stage) {
        return new Step(
                name,
                true,
                (source, lineage, tick) -> stage.apply(source).map(items -> ticked(tick, Item.merged(items))),
                Step.grouped(size).model());
    }

    private static Step weighted(String name, long max, Weighted stage) {
        return new Step(
                name,
                true,
                (source, lineage, tick) -> stage.apply(source, item -> ticked(tick, item.value % 5))
                        .map(Item::merged),
                values -> {
                    List<Long> sums = new ArrayList<>();
                    long sum = 0;
                    long weight = 0;
                    boolean open = false;
                    for (long value : values) {
                        if (open && weight + value % 5 > max) {
                            sums.add(sum);
                            sum = 0;
                            weight = 0;
                        }
                        sum += value;
                        weight += value % 5;
                        open = weight < max;
                        if (!open) {
                            sums.add(sum);
                            sum = 0;
                            weight = 0;
                        }
                    }
                    if (open) {
                        sums.add(sum);
                    }
                    return sums;
                });
    }

    private static Step adjacent(String name, int max, Adjacent stage) {
        return new Step(
                name,
                true,
                (source, lineage, tick) -> stage.apply(source, item -> ticked(tick, item.value / 5))
                        .map(Item::merged),
                values -> {
                    List<Long> sums = new ArrayList<>();
                    int members = 0;
                    long key = -1;
                    for (long value : values) {
                        if (members % max == 0 || value / 5 != key) {
                            sums.add(0L);
                            members = 0;
                        }
                        sums.set(sums.size() - 1, sums.getLast() + value);
                        members++;
                        key = value / 5;
                    }
                    return sums;
                });
    }

    @FunctionalInterface
    private interface Adjacent {
        Source<List<Item>> apply(Source<Item> source, Function<Item, Long> key);
    }

    @FunctionalInterface
    private interface Ticking {
        Source<Item> apply(Source<Item> source, Runnable tick);
    }

    @FunctionalInterface
    private interface Weighted {
        Source<List<Item>> apply(Source<Item> source, Function<Item, Long> weight);
    }
}
