package dev.weir.stream;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Knows of each input how many elements that came of it are still in flight. Thread-safe. The functions of a test
 * tell it what they make of their elements, so that it does not depend on what it checks.
 */
final class Lineage {

    private final AtomicIntegerArray onTheirWay;

    Lineage(int inputs) {
        onTheirWay = new AtomicIntegerArray(inputs);
    }

    /** The inputs, each in flight, with their index for value. */
    List<Item> inputs() {
        return IntStream.range(0, onTheirWay.length())
                .mapToObj(input -> {
                    onTheirWay.set(input, 1);
                    return new Item(input, new int[] {input}, List.of());
                })
                .toList();
    }

    /** Notes that an element is about to become {@code parts} others. */
    void split(Item item, int parts) {
        for (int input : item.inputs) {
            onTheirWay.addAndGet(input, parts - 1);
        }
    }

    /** Notes that an element has reached the sink or was dropped on purpose. */
    void done(Item item) {
        split(item, 0);
    }

    boolean isDone(int input) {
        return onTheirWay.get(input) == 0;
    }

    /** An element with the inputs that it came of, an input twice if it came of it in two ways. */
    static final class Item {

        final long value;
        private final int[] inputs;
        private final List<Place> places;

        private Item(long value, int[] inputs, List<Place> places) {
            this.value = value;
            this.inputs = inputs;
            this.places = places;
        }

        /** The input that it came of, or the first of them. */
        int firstInput() {
            return inputs[0];
        }

        IntStream inputs() {
            return IntStream.of(inputs);
        }

        Item with(long newValue) {
            return new Item(newValue, inputs, places);
        }

        /** The same element with its place in a sequence that is about to be worked on. */
        Item at(Place place) {
            return new Item(
                    value,
                    inputs,
                    Stream.concat(places.stream(), Stream.of(place)).toList());
        }

        /** Its places, if it came of one element only. */
        List<Place> places() {
            return places;
        }

        /** One element that stands for several: their sum. */
        static Item merged(List<Item> items) {
            return new Item(
                    items.stream().mapToLong(item -> item.value).sum(),
                    items.stream()
                            .flatMapToInt(item -> IntStream.of(item.inputs))
                            .toArray(),
                    List.of());
        }
    }

    /** The number of an element within its key, where a stage promises to keep the order of a key. */
    record Place(Object stage, long key, long number) {}
}
