package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import dev.weir.stream.Link.Books;
import dev.weir.stream.Link.Trait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import userland.Kept;
import userland.Repeated;

/** The operators for random pipelines, except the operators in {@link StreamLinks}. Stateless. */
final class Links {

    static final Duration LONG = Duration.ofHours(1);
    static final Duration SHORT = Duration.ofNanos(1);

    private static final long REPEATED = -1;

    /** Draws one link. The random choices are made once, not again for each inner stream. */
    @FunctionalInterface
    interface Drawn {
        Link from(Random random);
    }

    private Links() {}

    static List<Drawn> all() {
        return Stream.of(elements(), ordered(), gathering(), holding(), failures(), parallel())
                .flatMap(List::stream)
                .toList();
    }

    /** Operators that pass on every element. An input may be finished only after the sink has seen it. */
    static List<Drawn> keeping() {
        return List.of(
                r -> claimed(),
                r -> failingSection(),
                r -> Link.passing(
                        "restarted(passing)", s -> s.restarted(RestartSettings.of(Backoff.NONE), section -> section)),
                r -> Link.passing(
                        "restarted(async)",
                        s -> s.restarted(RestartSettings.of(Backoff.NONE), section -> section.async())),
                r -> ticked(),
                r -> taking(r.nextInt(r.nextBoolean() ? 5 : 200)),
                r -> boundary(1 + r.nextInt(r.nextBoolean() ? 4 : 600)),
                r -> flattened("groupedWithin(7, 1 ns)", s -> s.groupedWithin(7, SHORT)),
                r -> grouped("grouped", 1 + r.nextInt(20), (s, n) -> s.grouped(n)),
                r -> Link.each(
                                "mapConcat(twice)",
                                (s, books) -> s.mapConcat(item -> List.of(books.shown(item), item)),
                                v -> LongStream.of(v, v))
                        .with(List.of(Trait.GROWS)),
                r -> Link.each(
                        "mapBlocking(4, v + 1)",
                        (s, books) -> s.mapBlocking(4, Ordering.input(), item -> plusOne(books, item, false)),
                        v -> LongStream.of(v + 1)),
                r -> Link.each(
                        "map(v + 1)",
                        (s, books) -> s.map(item -> plusOne(books, item, false)),
                        v -> LongStream.of(v + 1)));
    }

    /** Zips with a source that a stop ends. */
    private static Link ticked() {
        return Link.of(
                        "zip(tick)",
                        Link.KEEPS,
                        (s, books) -> s.zipWith(
                                Source.tick(Duration.ZERO, Duration.ofNanos(10_000), Link.own(0)),
                                (item, tick) -> item),
                        values -> values)
                .with(List.of(Trait.HAS_SOURCES, Trait.LEAVES_SOME_AT_STOP));
    }

    // --- elements ---

    private static List<Drawn> elements() {
        return List.of(
                r -> worked("map", r, (s, f) -> s.map(f)),
                r -> Link.each(
                        "filter(v % 3 != 0)",
                        (s, books) -> s.filter(item -> books.shown(item).value % 3 != 0),
                        v -> v % 3 == 0 ? LongStream.of() : LongStream.of(v)),
                r -> Link.each(
                        "collect(v % 4 == 0 ? null : v)",
                        (s, books) -> s.collect(item -> books.shown(item).value % 4 == 0 ? null : item),
                        v -> v % 4 == 0 ? LongStream.of() : LongStream.of(v)),
                r -> mapConcat(1 + r.nextInt(3), r.nextBoolean()),
                r -> own(1 + r.nextInt(3)),
                r -> Link.each(
                        "via(Flow.of(stage(Kept v % 5 != 0)))",
                        (s, books) -> s.via(Flow.of(
                                "part",
                                part -> part.stage(
                                        "kept",
                                        (upstream, context) -> new Kept<>(
                                                upstream, context, item -> books.shown(item).value % 5 != 0)))),
                        v -> v % 5 == 0 ? LongStream.of() : LongStream.of(v)),
                r -> Link.of(
                        "fold(sum)",
                        Link.MAKES_ONE,
                        (s, books) -> s.fold(List.<Item>of(), (sum, item) -> plus(sum, books.shown(item)))
                                .map(Item::merged),
                        values -> List.of(Link.sum(values))),
                r -> Link.of(
                        "reduce(sum)",
                        Link.MAKES_ONE,
                        (s, books) -> s.reduce((a, b) -> Item.merged(List.of(books.shown(a), books.shown(b)))),
                        values -> values.isEmpty() ? values : List.of(Link.sum(values))),
                r -> Link.of(
                        "intersperse(1, 2, 3)",
                        Link.KEEPS,
                        (s, books) -> s.intersperse(Link.own(1), Link.own(2), Link.own(3)),
                        values -> {
                            List<Long> all = new ArrayList<>(List.of(1L));
                            for (int i = 0; i < values.size(); i++) {
                                all.addAll(i == 0 ? List.of(values.get(0)) : List.of(2L, values.get(i)));
                            }
                            all.add(3L);
                            return all;
                        }),
                r -> Link.passing("limit(1e6)", s -> s.limit(1_000_000)),
                r -> claimed());
    }

    private static Link claimed() {
        return Link.of(
                "withClaim().map(ack)",
                Link.KEEPS,
                (s, books) -> s.withClaim().map(claim -> {
                    books.show(claim.value());
                    claim.ack();
                    return claim.value();
                }),
                values -> values);
    }

    private static List<Item> plus(List<Item> sum, Item item) {
        return List.of(Item.merged(Stream.concat(sum.stream(), Stream.of(item)).toList()));
    }

    private static Link mapConcat(int max, boolean lazily) {
        return Link.each(
                        "mapConcat(v % " + (max + 1) + (lazily ? " lazily)" : " in a list)"),
                        (s, books) -> s.mapConcat(item -> {
                            books.show(item);
                            List<Item> children = LongStream.range(0, item.value % (max + 1))
                                    .mapToObj(n -> item.with(item.value + n))
                                    .toList();
                            return lazily ? () -> children.iterator() : children;
                        }),
                        v -> LongStream.range(0, v % (max + 1)).map(n -> v + n))
                .with(List.of(Trait.GROWS));
    }

    private static Link own(int max) {
        return Link.each(
                        "operator(Repeated v % " + (max + 1) + ")",
                        (s, books) -> s.operator(
                                "repeated",
                                () -> new Repeated<>(item -> LongStream.range(0, books.shown(item).value % (max + 1))
                                        .mapToObj(n -> item.with(item.value + n))
                                        .toList())),
                        v -> LongStream.range(0, v % (max + 1)).map(n -> v + n))
                .with(List.of(Trait.GROWS));
    }

    // --- the result depends on the order ---

    private static List<Drawn> ordered() {
        return List.of(
                r -> skipping(r.nextInt(4)),
                r -> taking(r.nextInt(r.nextBoolean() ? 5 : 200)),
                r -> takingWhile(2 + r.nextInt(60), r.nextBoolean()),
                r -> reading(
                        "dropWhile(v % 5 != 0)",
                        (s, books) -> s.dropWhile(item -> books.shown(item).value % 5 != 0),
                        values -> values.stream().dropWhile(v -> v % 5 != 0).toList()),
                r -> reading(
                        "zipWithIndex()",
                        (s, books) -> s.zipWithIndex()
                                .map(indexed ->
                                        books.shown(indexed.element()).with(indexed.element().value + indexed.index())),
                        values -> LongStream.range(0, values.size())
                                .mapToObj(i -> values.get((int) i) + i)
                                .toList()),
                r -> scan(false),
                r -> scan(true),
                r -> reading(
                        "statefulMap(numbered)",
                        (s, books) -> s.<long[], Item>statefulMap(
                                () -> new long[1],
                                (count, item) -> count[0]++ % 2 == 0
                                        ? null
                                        : books.shown(item).with(item.value + count[0]),
                                count -> Optional.of(Link.own(count[0])),
                                count -> {}),
                        values -> {
                            List<Long> all = new ArrayList<>();
                            for (int i = 1; i < values.size(); i += 2) {
                                all.add(values.get(i) + i + 1);
                            }
                            // Without input, the state is created at the end, and still emits this element.
                            all.add((long) values.size());
                            return all;
                        }),
                r -> deduplicate(1 + r.nextInt(12)),
                r -> reading(
                        "dropRepeated(v / 3)",
                        (s, books) -> s.dropRepeated(item -> books.shown(item).value / 3),
                        values -> newOnes(values, v -> v / 3, 1)));
    }

    private static Link reading(String code, Link.Staging staging, UnaryOperator<List<Long>> model) {
        return Link.of(code, Link.READS_ORDER, staging, model);
    }

    private static Link skipping(int count) {
        return reading(
                "drop(" + count + ")",
                (s, books) -> s.drop(count),
                values -> values.stream().skip(count).toList());
    }

    private static Link taking(int count) {
        return reading(
                        "take(" + count + ")",
                        (s, books) -> s.take(count),
                        values -> values.stream().limit(count).toList())
                .with(List.of(Trait.ENDS_EARLY));
    }

    private static Link takingWhile(int divisor, boolean inclusive) {
        return reading(
                        "takeWhile(v % " + divisor + " != 1, " + inclusive + ")",
                        (s, books) -> s.takeWhile(item -> books.shown(item).value % divisor != 1, inclusive),
                        values -> {
                            int passed = (int) values.stream()
                                    .takeWhile(v -> v % divisor != 1)
                                    .count();
                            return values.subList(0, Math.min(values.size(), inclusive ? passed + 1 : passed));
                        })
                .with(List.of(Trait.ENDS_EARLY));
    }

    private static Link scan(boolean later) {
        return reading(
                later ? "scanAsync(sum)" : "scan(sum)",
                (s, books) -> later
                        ? s.scanAsync(
                                Link.own(1),
                                (sum, item) ->
                                        answer(item.value, books.shown(item).with((sum.value + item.value) % 1000)))
                        : s.scan(Link.own(1), (sum, item) -> books.shown(item).with((sum.value + item.value) % 1000)),
                values -> {
                    List<Long> sums = new ArrayList<>(List.of(1L));
                    values.forEach(v -> sums.add((sums.getLast() + v) % 1000));
                    return sums;
                });
    }

    private static Link deduplicate(int window) {
        return reading(
                "deduplicate(v % 17, " + window + ")",
                (s, books) -> s.deduplicate(item -> books.shown(item).value % 17, window),
                values -> newOnes(values, v -> v % 17, window));
    }

    private static List<Long> newOnes(List<Long> values, Function<Long, Long> key, int window) {
        Set<Long> recent = new LinkedHashSet<>();
        List<Long> kept = new ArrayList<>();
        for (Long v : values) {
            if (!recent.remove(key.apply(v))) {
                kept.add(v);
            }
            recent.add(key.apply(v));
            if (recent.size() > window) {
                recent.remove(recent.iterator().next());
            }
        }
        return kept;
    }

    // --- groups ---

    private static List<Drawn> gathering() {
        return List.of(
                r -> grouped("grouped", 1 + r.nextInt(20), (s, n) -> s.grouped(n)),
                r -> grouped("groupedWithin long", 1 + r.nextInt(20), (s, n) -> s.groupedWithin(n, LONG)),
                r -> flattened("groupedWithin(7, 1 ns)", s -> s.groupedWithin(7, SHORT)),
                r -> flattened("groupedWeighted(20, v % 5)", s -> s.groupedWeighted(20, item -> item.value % 5)),
                r -> flattened("groupedAdjacentBy(v / 5, 4)", s -> s.groupedAdjacentBy(item -> item.value / 5, 4)),
                r -> flattened("batch(9)", s -> s.<List<Item>>batch(9, List::of, Links::append)),
                r -> flattened("conflateWithSeed", s -> s.<List<Item>>conflateWithSeed(List::of, Links::append)),
                r -> sliding(1 + r.nextInt(5), 1 + r.nextInt(6)),
                r -> Link.unforeseen(
                        "conflate(sum)", (s, books) -> s.conflate((a, b) -> Item.merged(List.of(books.shown(a), b)))));
    }

    private static List<Item> append(List<Item> list, Item item) {
        return Stream.concat(list.stream(), Stream.of(item)).toList();
    }

    private static Link grouped(String name, int size, GroupedBy stage) {
        return reading(
                name + "(" + size + ").map(sum)",
                (s, books) -> stage.on(s, size).map(items -> books.shown(Item.merged(items))),
                values -> Link.slices(values, size, Link::sum));
    }

    @FunctionalInterface
    private interface GroupedBy {
        Source<List<Item>> on(Source<Item> source, int size);
    }

    private static Link flattened(String code, Function<Source<Item>, Source<List<Item>>> stage) {
        return Link.of(
                code + ".mapConcat(list)",
                Link.KEEPS,
                (s, books) -> stage.apply(s.tap(books::show)).mapConcat(items -> items),
                values -> values);
    }

    private static Link sliding(int size, int step) {
        return reading(
                "sliding(" + size + ", " + step + ").map(sum)",
                (s, books) -> s.sliding(size, step).map(items -> books.shown(Item.merged(items))),
                values -> {
                    List<Long> sums = new ArrayList<>();
                    int end = 0;
                    for (int start = 0; start < values.size() && end < values.size(); start += step) {
                        end = Math.min(start + size, values.size());
                        sums.add(Link.sum(values.subList(start, end)));
                    }
                    return sums;
                });
    }

    // --- buffers and time ---

    private static List<Drawn> holding() {
        return List.of(
                r -> boundary(1 + r.nextInt(r.nextBoolean() ? 4 : 600)),
                r -> boundary(1 + r.nextInt(r.nextBoolean() ? 4 : 600)),
                r -> Link.passing("buffer(3, BACKPRESSURE)", s -> s.buffer(3, OverflowStrategy.BACKPRESSURE)),
                r -> dropping(List.of(OverflowStrategy.values()).get(r.nextInt(OverflowStrategy.values().length))),
                r -> Link.passing("throttle(1e6)", s -> s.throttle(1_000_000, Duration.ofSeconds(1))),
                r -> Link.of(
                        "throttlePerKey(1e6, v % 5)",
                        Link.LOSES_ORDER,
                        (s, books) -> s.throttlePerKey(
                                1_000_000, Duration.ofSeconds(1), 3, item -> books.shown(item).value % 5, 20),
                        values -> values),
                r -> Link.passing("delay(0.1 ms)", s -> s.delay(Duration.ofNanos(100_000))),
                r -> Link.passing("dropWithin(0)", s -> s.dropWithin(Duration.ZERO)),
                r -> Link.unforeseen("debounce(0.1 ms)", (s, books) -> s.debounce(Duration.ofNanos(100_000))),
                r -> Link.unforeseen("sample(0.1 ms)", (s, books) -> s.sample(Duration.ofNanos(100_000))),
                r -> Link.of(
                        "expand(v, -1).filter(v >= 0)",
                        Link.KEEPS,
                        (s, books) -> s.expand(item -> Stream.of(books.shown(item), Link.own(REPEATED))
                                        .iterator())
                                .filter(item -> item.value != REPEATED),
                        values -> values));
    }

    private static Link boundary(int buffer) {
        return Link.passing("async(virtual, " + buffer + ")", s -> s.async(Dispatcher.virtual(), buffer));
    }

    private static Link dropping(OverflowStrategy strategy) {
        boolean fails = strategy == OverflowStrategy.FAIL;
        int capacity = fails ? 1_000_000 : 5;
        return Link.unforeseen(
                "buffer(" + capacity + ", " + strategy + ")", (s, books) -> s.buffer(capacity, strategy));
    }

    // --- failures ---

    private static List<Drawn> failures() {
        return List.of(
                r -> Link.passing("recover(own)", s -> s.recover(e -> Link.own(0)))
                        .with(List.of(Trait.ABSORBS)),
                r -> Link.passing("recoverWith(1, own)", s -> s.recoverWith(1, e -> Source.of(Link.own(0))))
                        .with(List.of(Trait.ABSORBS)),
                r -> Link.passing("onErrorComplete()", s -> s.onErrorComplete()).with(List.of(Trait.ABSORBS)),
                r -> Link.passing("mapError(same)", s -> s.mapError(e -> e)),
                r -> Link.passing("idleTimeout(long)", s -> s.idleTimeout(LONG)),
                r -> Link.passing("completionTimeout(long)", s -> s.completionTimeout(LONG)),
                r -> Link.passing("backpressureTimeout(long)", s -> s.backpressureTimeout(LONG)),
                r -> Link.passing("keepAlive(long)", s -> s.keepAlive(LONG, () -> Link.own(0))),
                r -> Link.passing("via(switch)", s -> s.via(new KillSwitch())),
                r -> failingSection());
    }

    private static Link failingSection() {
        return Link.unforeseen("restarted(3, map)", (s, books) -> {
                    AtomicInteger calls = new AtomicInteger();
                    return s.restarted(
                            RestartSettings.of(Backoff.NONE),
                            section -> section.map(item -> {
                                int call = calls.incrementAndGet();
                                if (call % 7 == 0 && call < 25) {
                                    throw new Trapped();
                                }
                                return books.shown(item);
                            }));
                })
                .with(List.of(Trait.REPEATS, Trait.ABSORBS));
    }

    /** Exception of a function, for supervision. */
    static final class Trapped extends RuntimeException {
        private static final long serialVersionUID = 1;

        Trapped() {
            super("trapped", null, false, false);
        }
    }

    // --- parallel ---

    private static List<Drawn> parallel() {
        return List.of(
                r -> {
                    int n = 1 + r.nextInt(4);
                    return worked("mapParallel(" + n + ")", r, (s, f) -> s.mapParallel(n, f::apply));
                },
                r -> {
                    int n = 1 + r.nextInt(8);
                    Ordering<Item> ordering = ordering(r);
                    return ordered(
                            ordering,
                            worked(
                                    "mapBlocking(" + n + ", " + describe(ordering) + ")",
                                    r,
                                    (s, f) -> s.mapBlocking(n, ordering, f::apply)));
                },
                r -> {
                    int n = 1 + r.nextInt(4);
                    Ordering<Item> ordering = ordering(r);
                    return ordered(
                            ordering,
                            worked(
                                    "mapBlocking(" + n + ", " + describe(ordering) + ", cpu)",
                                    r,
                                    (s, f) -> s.mapBlocking(n, ordering, f::apply)
                                            .with(Attributes.NONE.withDispatcher(Dispatcher.cpu()))));
                },
                r -> {
                    int n = 1 + r.nextInt(8);
                    Ordering<Item> ordering = ordering(r);
                    return ordered(
                            ordering,
                            worked(
                                    "mapAsync(" + n + ", " + describe(ordering) + ")",
                                    r,
                                    (s, f) -> s.mapAsync(n, ordering, item -> answered(item, f))));
                });
    }

    private static Ordering<Item> ordering(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> Ordering.input();
            case 1 -> Ordering.unordered();
            default -> Ordering.byKey(item -> item.value % 7);
        };
    }

    private static String describe(Ordering<Item> ordering) {
        return ordering.isInput() ? "input" : ordering.isKeyed() ? "byKey" : "unordered";
    }

    private static Link ordered(Ordering<Item> ordering, Link link) {
        return ordering.isInput()
                ? link
                : new Link(
                        link.code(),
                        known -> Link.LOSES_ORDER.apply(link.effect().apply(known)),
                        link.traits(),
                        link.staging(),
                        link.model());
    }

    private static CompletableFuture<Item> answered(Item item, Function<Item, Item> f) {
        return switch ((int) (item.value % 3)) {
            case 0 -> CompletableFuture.completedFuture(f.apply(item));
            case 1 -> CompletableFuture.supplyAsync(() -> f.apply(item));
            default -> CompletableFuture.supplyAsync(() -> f.apply(item), Thread::startVirtualThread);
        };
    }

    private static <A> CompletableFuture<A> answer(long which, A value) {
        return which % 5 == 0
                ? CompletableFuture.supplyAsync(() -> value, Thread::startVirtualThread)
                : CompletableFuture.completedFuture(value);
    }

    // --- functions that fail ---

    @FunctionalInterface
    private interface Worked {
        Source<Item> on(Source<Item> source, Function<Item, Item> function);
    }

    /** Returns an operator whose function adds one and may fail. Failed elements are skipped or tried again. */
    private static Link worked(String name, Random random, Worked stage) {
        Backoff pause = random.nextBoolean() ? Backoff.NONE : Backoff.between(SHORT, Duration.ofNanos(200_000));
        return switch (random.nextInt(4)) {
            case 0 ->
                Link.each(
                        name + ".supervised(skip v % 6 == 2)",
                        (s, books) -> stage.on(s, item -> plusOne(books, item, item.value % 6 == 2))
                                .supervised(Supervision.of(Links::skipTrapped)),
                        v -> v % 6 == 2 ? LongStream.of() : LongStream.of(v + 1));
            case 1 ->
                Link.each(
                        name + ".supervised(retry each 9th, " + pause.max() + ")",
                        (s, books) -> {
                            AtomicInteger calls = new AtomicInteger();
                            return stage.on(s, item -> plusOne(books, item, calls.incrementAndGet() % 9 == 0))
                                    .supervised(Supervision.retry(
                                            RetryPolicy.of(100, pause).on(Trapped.class), Supervision.fail()));
                        },
                        v -> LongStream.of(v + 1));
            default ->
                Link.each(
                        name + "(v + 1)",
                        (s, books) -> stage.on(s, item -> plusOne(books, item, false)),
                        v -> LongStream.of(v + 1));
        };
    }

    private static Supervision.Decision skipTrapped(Throwable failure) {
        return failure instanceof Trapped ? Supervision.Decision.SKIP : Supervision.Decision.FAIL;
    }

    private static Item plusOne(Books books, Item item, boolean fails) {
        books.show(item);
        if (fails) {
            throw new Trapped();
        }
        return item.with(item.value + 1);
    }
}
