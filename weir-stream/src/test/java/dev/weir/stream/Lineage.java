package dev.weir.stream;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Counts for each input the derived elements in flight. The functions of a test report what they derive, so the count
 * does not depend on the tested code. Thread-safe.
 */
final class Lineage {

    private final AtomicIntegerArray onTheirWay;

    Lineage(int inputs) {
        onTheirWay = new AtomicIntegerArray(inputs);
    }

    /** Returns the inputs, all in flight. Their values are their indices. */
    List<Item> inputs() {
        return IntStream.range(0, onTheirWay.length())
                .mapToObj(input -> {
                    onTheirWay.set(input, 1);
                    return new Item(input, new int[] {input}, List.of());
                })
                .toList();
    }

    /** Records that an element becomes {@code parts} elements. */
    void split(Item item, int parts) {
        for (int input : item.inputs) {
            onTheirWay.addAndGet(input, parts - 1);
        }
    }

    /** Records that an element has reached the sink or was dropped on purpose. */
    void done(Item item) {
        split(item, 0);
    }

    boolean isDone(int input) {
        return onTheirWay.get(input) == 0;
    }

    /** An element with the inputs from which it is derived. An input may occur twice. */
    static final class Item {

        final long value;
        private final int[] inputs;
        private final List<Place> places;

        private Item(long value, int[] inputs, List<Place> places) {
            this.value = value;
            this.inputs = inputs;
            this.places = places;
        }

        /** Returns the first input of the element. */
        int firstInput() {
            return inputs[0];
        }

        IntStream inputs() {
            return IntStream.of(inputs);
        }

        Item with(long newValue) {
            return new Item(newValue, inputs, places);
        }

        /** Returns the element with its place in a sequence. */
        Item at(Place place) {
            return new Item(
                    value,
                    inputs,
                    Stream.concat(places.stream(), Stream.of(place)).toList());
        }

        /** Returns the places of this element if it is derived from one element. */
        List<Place> places() {
            return places;
        }

        /** Returns one element for several, with the sum of their values. */
        static Item merged(List<Item> items) {
            return new Item(
                    items.stream().mapToLong(item -> item.value).sum(),
                    items.stream()
                            .flatMapToInt(item -> IntStream.of(item.inputs))
                            .toArray(),
                    List.of());
        }
    }

    /** An element's number within its key, for a stage that keeps the order within a key. */
    record Place(Object stage, long key, long number) {}
}
