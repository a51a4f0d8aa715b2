package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * An operator of a random pipeline: its code, its stages, and its effect on a list. Immutable.
 *
 * @param code the code as text, with abridged functions
 * @param effect what the model knows about the output, from what it knows about the input
 * @param traits what the checks must know about the operator
 */
record Link(
        String code, UnaryOperator<Known> effect, Set<Trait> traits, Staging staging, UnaryOperator<List<Long>> model) {

    /** Adds the stages to a source. Their functions first show each element to the books. */
    @FunctionalInterface
    interface Staging {
        Source<Item> on(Source<Item> source, Books books);
    }

    /** Receives each element before a function does. May throw. */
    @FunctionalInterface
    interface Books {
        void show(Item item);

        default Item shown(Item item) {
            show(item);
            return item;
        }
    }

    /** Knowledge of the model about an output: nothing, only its elements, or also their order. */
    enum Known {
        NOTHING,
        CONTENT,
        ORDER;

        Known atMost(Known other) {
            return compareTo(other) <= 0 ? this : other;
        }
    }

    static final UnaryOperator<Known> KEEPS = known -> known;
    static final UnaryOperator<Known> READS_ORDER = known -> known == Known.ORDER ? known : Known.NOTHING;
    static final UnaryOperator<Known> LOSES_ORDER = known -> known.atMost(Known.CONTENT);
    static final UnaryOperator<Known> LOSES_ALL = known -> Known.NOTHING;

    /** The output has a single element. */
    static final UnaryOperator<Known> MAKES_ONE = known -> known == Known.NOTHING ? known : Known.ORDER;

    /** Properties of an operator for the checks. */
    enum Trait {
        /** May end before its input, and then leaves some of the input unfinished. */
        ENDS_EARLY,
        /** May make several elements from one. */
        GROWS,
        /** Has an inner stream that ends early without waiting for its handlers. */
        ENDS_EARLY_WITHIN,
        /** Has sources of its own. A stop ends them at any point. */
        HAS_SOURCES,
        /** Treats an upstream failure as an end. */
        ABSORBS,
        /** Leaves elements unfinished at a normal end. */
        LEAVES_SOME,
        /** Leaves elements unfinished if it ends after a stop. */
        LEAVES_SOME_AT_STOP,
        /** Processes elements again that may be finished. */
        REPEATS
    }

    @Override
    public String toString() {
        return code;
    }

    Link with(List<Trait> more) {
        Set<Trait> all = new HashSet<>(traits);
        all.addAll(more);
        return new Link(code, effect, Set.copyOf(all), staging, model);
    }

    static Link of(String code, UnaryOperator<Known> effect, Staging staging, UnaryOperator<List<Long>> model) {
        return new Link(code, effect, Set.of(), staging, model);
    }

    /** Returns a link that passes all elements on. */
    static Link passing(String code, UnaryOperator<Source<Item>> staging) {
        return of(code, KEEPS, (source, books) -> staging.apply(source), values -> values);
    }

    /** A link with unpredictable output. */
    static Link unforeseen(String code, Staging staging) {
        return of(code, LOSES_ALL, staging, values -> List.of());
    }

    /** Returns a link that turns each element into any number of elements. */
    static Link each(String code, Staging staging, LongFunction<LongStream> model) {
        return of(code, KEEPS, staging, eachOf(model));
    }

    static UnaryOperator<List<Long>> eachOf(LongFunction<LongStream> model) {
        return values -> values.stream()
                .flatMapToLong(value -> model.apply(value))
                .boxed()
                .toList();
    }

    static Link chain(List<Link> links) {
        Link all = passing("", source -> source);
        for (Link link : links) {
            all = all.then(link);
        }
        return all;
    }

    private Link then(Link next) {
        Set<Trait> both = new HashSet<>(traits);
        both.addAll(next.traits);
        return new Link(
                code + "\n" + next.code,
                known -> next.effect.apply(effect.apply(known)),
                Set.copyOf(both),
                (source, books) -> next.staging.on(staging.on(source, books), books),
                values -> next.model.apply(model.apply(values)));
    }

    /** An element derived from no input. */
    static Item own(long value) {
        return Item.merged(List.of()).with(value);
    }

    static List<Item> owned(List<Long> values) {
        return values.stream().map(value -> own(value)).toList();
    }

    static long sum(List<Long> values) {
        return values.stream().mapToLong(value -> value).sum();
    }

    /** Returns the result of {@code make} for each slice of {@code size} values. */
    static <R> List<R> slices(List<Long> values, int size, Function<List<Long>, R> make) {
        List<R> slices = new ArrayList<>();
        for (int i = 0; i < values.size(); i += size) {
            slices.add(make.apply(values.subList(i, Math.min(values.size(), i + size))));
        }
        return slices;
    }
}
