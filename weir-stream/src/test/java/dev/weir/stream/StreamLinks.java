package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import dev.weir.stream.Lineage.Place;
import dev.weir.stream.Link.Books;
import dev.weir.stream.Link.Known;
import dev.weir.stream.Link.Trait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * Draws random pipelines. Adds operators with inner streams or several inputs or outputs to {@link Links}. Confined to
 * one thread.
 */
final class StreamLinks {

    private static final int DEEPEST = 2;

    private final Random random;
    private final boolean keeping;
    private final List<Links.Drawn> plain;
    private int depth;
    private int streams;
    private int mayGrow = 4;

    /**
     * Creates a generator.
     *
     * @param keeping whether to draw only pipelines that pass on every element to their end
     */
    StreamLinks(long seed, boolean keeping) {
        this.random = new Random(seed);
        this.keeping = keeping;
        this.plain = keeping ? Links.keeping() : Links.all();
    }

    /** Returns a chain of one to {@code longest} links. */
    Link chain(int longest) {
        List<Link> links = new ArrayList<>();
        Known known = Known.ORDER;
        int length = 1 + random.nextInt(longest);
        while (links.size() < length) {
            Link link = random.nextInt(10) < 4
                    ? withStreams()
                    : plain.get(random.nextInt(plain.size())).from(random);
            Known then = link.effect().apply(known);
            boolean growsTooMuch = link.traits().contains(Trait.GROWS) && mayGrow-- <= 0;
            // Links with an unpredictable output prove little, so they are drawn rarely. If every element must reach
            // the sink, no inner stream may end early: elements after its end are finished unprocessed.
            boolean drops = keeping && depth > 0 && link.traits().contains(Trait.ENDS_EARLY);
            if (!growsTooMuch && !drops && (then != Known.NOTHING || known == then || random.nextInt(4) == 0)) {
                known = then;
                links.add(link);
            }
        }
        return Link.chain(links);
    }

    /** Returns a chain for an inner stream, or for a branch of the same stream. */
    private Link inner(boolean inStreamOfItsOwn) {
        depth++;
        streams += inStreamOfItsOwn ? 1 : 0;
        Link inner = chain(3);
        streams -= inStreamOfItsOwn ? 1 : 0;
        depth--;
        return inner;
    }

    private Link withStreams() {
        if (keeping) {
            return keepingStreams();
        }
        int kind = random.nextInt(depth < DEEPEST ? 22 : 10);
        return kind < 10 ? joinedOf(kind) : nestedOf(kind);
    }

    private Link keepingStreams() {
        if (depth == DEEPEST) {
            return plain.get(random.nextInt(plain.size())).from(random);
        }
        return switch (random.nextInt(5)) {
            case 0 -> groupedBy(1 + random.nextInt(6), random.nextInt(4) == 0);
            case 1, 2 -> split(random.nextBoolean());
            case 3 -> broadcast();
            default -> partitioned(1 + random.nextInt(3));
        };
    }

    private Link joinedOf(int kind) {
        return switch (kind) {
            case 0 -> joined("merge", Link.LOSES_ORDER, (s, own) -> s.merge(own), (values, own) -> plus(values, own));
            case 1 -> joined("concat", Link.KEEPS, (s, own) -> s.concat(own), (values, own) -> plus(values, own));
            case 2 -> joined("prepend", Link.KEEPS, (s, own) -> s.prepend(own), (values, own) -> plus(own, values));
            case 3 ->
                joined(
                        "orElse",
                        Link.KEEPS,
                        (s, own) -> s.orElse(own),
                        (values, own) -> values.isEmpty() ? own : values);
            case 4 -> interleaved(1 + random.nextInt(4));
            case 5 ->
                joined(
                        "mergeSorted",
                        Link.READS_ORDER,
                        (s, own) -> s.mergeSorted(own, Comparator.comparingLong(item -> item.value)),
                        StreamLinks::mergedSorted);
            case 6 ->
                joined(
                        "mergePrioritized",
                        Link.LOSES_ORDER,
                        (s, own) -> s.mergePrioritized(List.of(own), 1, 2),
                        (values, own) -> plus(values, own));
            case 7 ->
                joined(
                        "zipAll",
                        Link.READS_ORDER,
                        (s, own) -> s.zipAll(own, Link.own(5), Link.own(6))
                                .map(pair -> Item.merged(List.of(pair.first(), pair.second()))),
                        (values, own) -> LongStream.range(0, Math.max(values.size(), own.size()))
                                .mapToObj(i -> at(values, i, 5) + at(own, i, 6))
                                .toList());
            case 8 ->
                joined(
                                "zip",
                                Link.READS_ORDER,
                                (s, own) -> s.zipWith(own, (a, b) -> Item.merged(List.of(a, b))),
                                (values, own) -> LongStream.range(0, Math.min(values.size(), own.size()))
                                        .mapToObj(i -> values.get((int) i) + own.get((int) i))
                                        .toList())
                        .with(List.of(Trait.ENDS_EARLY));
            default ->
                joined(
                                "mergeLatest",
                                Link.LOSES_ALL,
                                (s, own) -> s.mergeLatest(own).map(Item::merged),
                                StreamLinks::plus)
                        .with(List.of(Trait.LEAVES_SOME));
        };
    }

    private Link nestedOf(int kind) {
        return switch (kind) {
            case 10, 11 -> groupedBy(1 + random.nextInt(6), random.nextInt(2) == 0);
            case 12, 13 -> split(random.nextBoolean());
            case 14 -> flatMap("flatMapConcat", Link.KEEPS, (s, f) -> s.flatMapConcat(f));
            case 15 -> flatMap("flatMapMerge(3)", Link.LOSES_ORDER, (s, f) -> s.flatMapMerge(3, f));
            case 16 ->
                flatMap("switchMap", Link.LOSES_ALL, (s, f) -> s.switchMap(f)).with(List.of(Trait.ENDS_EARLY_WITHIN));
            case 17 -> prefixAndTail(random.nextInt(4));
            case 18 -> broadcast();
            case 19 -> partitioned(1 + random.nextInt(3));
            case 20 -> aside();
            default -> apart();
        };
    }

    // --- several inputs ---

    private Link joined(
            String name,
            UnaryOperator<Known> effect,
            BiFunction<Source<Item>, Source<Item>, Source<Item>> stage,
            BiFunction<List<Long>, List<Long>, List<Long>> model) {
        List<Long> own =
                LongStream.range(0, random.nextInt(12)).map(n -> n * 7).boxed().toList();
        return Link.of(
                        name + "(" + own.size() + " own)",
                        effect,
                        (s, books) -> stage.apply(s, Source.from(Link.owned(own))),
                        values -> model.apply(values, own))
                // In an inner stream, a stop lets a list's source reach its end.
                .with(streams == 0 ? List.of(Trait.HAS_SOURCES) : List.of());
    }

    private static List<Long> plus(List<Long> values, List<Long> more) {
        List<Long> all = new ArrayList<>(values);
        all.addAll(more);
        return all;
    }

    private static long at(List<Long> values, long index, long otherwise) {
        return index < values.size() ? values.get((int) index) : otherwise;
    }

    private Link interleaved(int segment) {
        return joined(
                "interleave " + segment, Link.READS_ORDER, (s, own) -> s.interleave(own, segment), (values, own) -> {
                    List<Long> all = new ArrayList<>();
                    for (int from = 0; from < Math.max(values.size(), own.size()); from += segment) {
                        for (List<Long> input : List.of(values, own)) {
                            all.addAll(input.subList(
                                    Math.min(from, input.size()), Math.min(from + segment, input.size())));
                        }
                    }
                    return all;
                });
    }

    private static List<Long> mergedSorted(List<Long> values, List<Long> own) {
        List<Long> all = new ArrayList<>();
        int a = 0;
        int b = 0;
        while (a < values.size() || b < own.size()) {
            boolean first = b == own.size() || (a < values.size() && values.get(a) <= own.get(b));
            all.add(first ? values.get(a++) : own.get(b++));
        }
        return all;
    }

    // --- streams inside ---

    /** Returns a link that contains others. Elements that they leave unprocessed are finished if {@code restGoesOn}. */
    private static Link around(
            String code,
            UnaryOperator<Known> effect,
            List<Link> inner,
            boolean restGoesOn,
            Link.Staging staging,
            UnaryOperator<List<Long>> model) {
        Set<Trait> traits = new HashSet<>();
        StringBuilder typed = new StringBuilder(code);
        for (Link each : inner) {
            traits.addAll(each.traits());
            typed.append(" { ").append(each.code().strip().replace("\n", " . ")).append(" }");
        }
        if (restGoesOn && traits.remove(Trait.ENDS_EARLY)) {
            traits.add(Trait.ENDS_EARLY_WITHIN);
        }
        UnaryOperator<Known> all = known -> {
            Known least = effect.apply(known);
            for (Link each : inner) {
                least = least.atMost(each.effect().apply(known));
            }
            return least;
        };
        return new Link(typed.toString(), all, Set.copyOf(traits), staging, model);
    }

    private Link groupedBy(int keys, boolean evicting) {
        Link inner = inner(true);
        // Do not count within another group: its keys would share the counter.
        boolean isCounted = streams == 0;
        // With evictions, groups become idle while they hold elements, and deadlines pass during pulls.
        UnaryOperator<Source<Item>> slowly =
                evicting ? s -> s.throttle(1, Duration.ofNanos(100_000)) : UnaryOperator.identity();
        UnaryOperator<Source<Item>> below =
                evicting ? s -> s.delay(Duration.ofNanos(50_000)) : UnaryOperator.identity();
        return around(
                "groupBy(v % " + keys + (evicting ? ", 1 ns) { throttle(1, 0.1 ms) . } delay(0.05 ms)" : ")"),
                evicting ? Link.LOSES_ALL : Link.LOSES_ORDER,
                List.of(inner),
                true,
                (s, books) -> inOrderByKey(
                        isCounted,
                        inner,
                        keys,
                        s,
                        numbered -> below.apply(numbered.groupBy(
                                item -> books.shown(item).value % keys,
                                keys,
                                evicting ? Links.SHORT : Duration.ZERO,
                                key -> inner.staging().on(slowly.apply(key), books)))),
                values -> concatenated(byKey(values, keys).values(), inner));
    }

    /**
     * Fails if elements of a key leave {@code stage} in a different order. The model has no clock, so it cannot predict
     * evicted groups.
     */
    private static Source<Item> inOrderByKey(
            boolean isCounted, Link inner, int keys, Source<Item> source, UnaryOperator<Source<Item>> stage) {
        if (!isCounted || inner.effect().apply(Known.ORDER) != Known.ORDER) {
            return stage.apply(source);
        }
        Object mark = new Object();
        AtomicLongArray came = new AtomicLongArray(2 * keys);
        AtomicLongArray left = new AtomicLongArray(2 * keys);
        // Keys may be negative.
        Source<Item> numbered = source.map(item -> {
            long key = item.value % keys;
            return item.at(new Place(mark, key, came.incrementAndGet((int) key + keys)));
        });
        return stage.apply(numbered).map(item -> {
            for (Place place : item.places()) {
                if (place.stage() == mark
                        && left.getAndSet((int) place.key() + keys, place.number()) > place.number()) {
                    throw new AssertionError("an element of key " + place.key() + " was overtaken: " + item.value);
                }
            }
            return item;
        });
    }

    private static Map<Long, List<Long>> byKey(List<Long> values, int keys) {
        Map<Long, List<Long>> byKey = new LinkedHashMap<>();
        values.forEach(
                v -> byKey.computeIfAbsent(v % keys, key -> new ArrayList<>()).add(v));
        return byKey;
    }

    private static List<Long> concatenated(Iterable<List<Long>> parts, Link inner) {
        List<Long> all = new ArrayList<>();
        parts.forEach(part -> all.addAll(inner.model().apply(part)));
        return all;
    }

    private Link split(boolean after) {
        Link inner = inner(true);
        Function<Books, Function<Source<Item>, Source<Item>>> section =
                books -> part -> inner.staging().on(part, books);
        return around(
                after ? "splitAfter(v % 5 == 0)" : "splitWhen(v % 5 == 0)",
                Link.READS_ORDER,
                List.of(inner),
                true,
                (s, books) -> after
                        ? s.splitAfter(item -> books.shown(item).value % 5 == 0, section.apply(books))
                        : s.splitWhen(item -> books.shown(item).value % 5 == 0, section.apply(books)),
                values -> concatenated(sections(values, after), inner));
    }

    private static List<List<Long>> sections(List<Long> values, boolean after) {
        List<List<Long>> sections = new ArrayList<>();
        boolean begins = true;
        for (long v : values) {
            if (begins || (!after && v % 5 == 0)) {
                sections.add(new ArrayList<>());
            }
            sections.getLast().add(v);
            begins = after && v % 5 == 0;
        }
        return sections;
    }

    @FunctionalInterface
    private interface FlatMapped {
        Source<Item> on(Source<Item> source, Function<Item, Source<Item>> function);
    }

    private Link flatMap(String name, UnaryOperator<Known> effect, FlatMapped stage) {
        Link inner = inner(true);
        return around(
                        name + "(v % 3)",
                        effect,
                        List.of(inner),
                        true,
                        (s, books) -> stage.on(
                                s,
                                item -> inner.staging()
                                        .on(
                                                Source.from(LongStream.range(0, books.shown(item).value % 3)
                                                        .mapToObj(n -> item.with(item.value + n))
                                                        .toList()),
                                                books)),
                        values -> concatenated(
                                values.stream()
                                        .map(v -> LongStream.range(v, v + v % 3)
                                                .boxed()
                                                .toList())
                                        .toList(),
                                inner))
                .with(List.of(Trait.GROWS));
    }

    private Link prefixAndTail(int n) {
        Link inner = inner(true);
        return around(
                "prefixAndTail(" + n + ")",
                Link.READS_ORDER,
                List.of(inner),
                false,
                (s, books) -> s.prefixAndTail(
                        n,
                        (prefix, tail) ->
                                Source.from(prefix).concat(inner.staging().on(tail, books))),
                values -> {
                    int prefix = Math.min(n, values.size());
                    return plus(values.subList(0, prefix), inner.model().apply(values.subList(prefix, values.size())));
                });
    }

    // --- several outputs ---

    private Link broadcast() {
        List<Link> branches = new ArrayList<>(List.of(inner(false), inner(false)));
        boolean oneGoesOn =
                branches.stream().anyMatch(branch -> !branch.traits().contains(Trait.ENDS_EARLY));
        Link link = around(
                "broadcast",
                Link.LOSES_ORDER,
                branches,
                oneGoesOn,
                (s, books) -> {
                    List<Function<Source<Item>, Source<Item>>> functions = new ArrayList<>();
                    branches.forEach(
                            branch -> functions.add(part -> branch.staging().on(part, books)));
                    return s.broadcast(functions);
                },
                values -> plus(
                        branches.get(0).model().apply(values),
                        branches.get(1).model().apply(values)));
        return link.traits().contains(Trait.ENDS_EARLY_WITHIN) ? link.with(List.of(Trait.LEAVES_SOME_AT_STOP)) : link;
    }

    private Link partitioned(int partitions) {
        Link inner = inner(false);
        boolean balanced = random.nextInt(3) == 0;
        return around(
                (balanced ? "balance(" : "partition(v % ") + partitions + ")",
                balanced ? Link.LOSES_ALL : Link.LOSES_ORDER,
                List.of(inner),
                false,
                (s, books) -> {
                    Function<Source<Item>, Source<Item>> branch =
                            part -> inner.staging().on(part, books);
                    return balanced
                            ? s.balance(partitions, branch)
                            : s.partition(partitions, item -> (int) (books.shown(item).value % partitions), branch);
                },
                values -> {
                    Map<Long, List<Long>> byKey = byKey(values, partitions);
                    List<List<Long>> all = new ArrayList<>();
                    for (long key = 0; key < partitions; key++) {
                        all.add(byKey.getOrDefault(key, List.of()));
                    }
                    return concatenated(all, inner);
                });
    }

    /** Returns a link to a side sink with its own stream. If that stream ends early, the main stream ends later. */
    private Link aside() {
        Link side = inner(false);
        boolean diverts = random.nextBoolean();
        boolean endsEarly = side.traits().contains(Trait.ENDS_EARLY);
        return around(
                diverts ? "divertTo(v % 3 == 0)" : "alsoTo",
                endsEarly ? Link.LOSES_ALL : Link.KEEPS,
                List.of(side),
                false,
                (s, books) -> {
                    Sink<Item> sink =
                            Sink.through(part -> side.staging().on(part, books).to(Sink.forEach(books::show)));
                    return diverts ? s.divertTo(sink, item -> books.shown(item).value % 3 == 0) : s.alsoTo(sink);
                },
                values -> diverts
                        ? values.stream().filter(v -> v % 3 != 0).toList()
                        : Collections.unmodifiableList(values));
    }

    private Link apart() {
        return Link.each(
                "unzip(v * 2, 1, zipWith sum)",
                (s, books) -> s.unzip(
                        item -> books.shown(item).with(item.value * 2),
                        item -> item.with(1),
                        (left, right) -> left.zipWith(right, (a, b) -> Item.merged(List.of(a, b)))),
                v -> LongStream.of(v * 2 + 1));
    }
}
