package dev.weir.stream;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Counts, for each input, how many elements derived from it are still in flight. The functions of a test report what
 * they derive from their elements, so the count is independent of the tested code. Thread-safe.
 */
final class Lineage {

    private final AtomicIntegerArray onTheirWay;

    Lineage(int inputs) {
        onTheirWay = new AtomicIntegerArray(inputs);
    }

    /** Returns the inputs, each in flight, with their index as value. */
    List<Item> inputs() {
        return IntStream.range(0, onTheirWay.length())
                .mapToObj(input -> {
                    onTheirWay.set(input, 1);
                    return new Item(input, new int[] {input}, List.of());
                })
                .toList();
    }

    /** Records that an element is about to become {@code parts} others. */
    void split(Item item, int parts) {
        for (int input : item.inputs) {
            onTheirWay.addAndGet(input, parts - 1);
        }
    }

    /** Records that an element has reached the sink or was dropped deliberately. */
    void done(Item item) {
        split(item, 0);
    }

    boolean isDone(int input) {
        return onTheirWay.get(input) == 0;
    }

    /**
     * An element with the inputs from which it is derived. If it is derived from an input in two ways, that input
     * occurs twice.
     */
    static final class Item {

        final long value;
        private final int[] inputs;
        private final List<Place> places;

        private Item(long value, int[] inputs, List<Place> places) {
            this.value = value;
            this.inputs = inputs;
            this.places = places;
        }

        /** Returns the first input from which the element is derived. */
        int firstInput() {
            return inputs[0];
        }

        IntStream inputs() {
            return IntStream.of(inputs);
        }

        Item with(long newValue) {
            return new Item(newValue, inputs, places);
        }

        /** Returns the same element with its place in a sequence that is about to be processed. */
        Item at(Place place) {
            return new Item(
                    value,
                    inputs,
                    Stream.concat(places.stream(), Stream.of(place)).toList());
        }

        /** Returns the places of this element, if it is derived from only one other element. */
        List<Place> places() {
            return places;
        }

        /** Returns one element that represents several, with the sum of their values. */
        static Item merged(List<Item> items) {
            return new Item(
                    items.stream().mapToLong(item -> item.value).sum(),
                    items.stream()
                            .flatMapToInt(item -> IntStream.of(item.inputs))
                            .toArray(),
                    List.of());
        }
    }

    /** The number of an element within its key, for a stage that promises to keep the order within a key. */
    record Place(Object stage, long key, long number) {}
}
