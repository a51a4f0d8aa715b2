package dev.weir.stream;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * Knows of each input how many elements that came of it are still on their way. Thread-safe. The functions of a test
 * tell it what they make of their elements, so that it does not depend on what it checks.
 */
final class Lineage {

    private final AtomicIntegerArray onTheirWay;

    Lineage(int inputs) {
        onTheirWay = new AtomicIntegerArray(inputs);
    }

    /** The inputs, each on its way, with their index for value. */
    List<Item> inputs() {
        return IntStream.range(0, onTheirWay.length())
                .mapToObj(input -> {
                    onTheirWay.set(input, 1);
                    return new Item(input, new int[] {input});
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

        private Item(long value, int[] inputs) {
            this.value = value;
            this.inputs = inputs;
        }

        /** The input that it came of, or the first of them. */
        int firstInput() {
            return inputs[0];
        }

        IntStream inputs() {
            return IntStream.of(inputs);
        }

        Item with(long newValue) {
            return new Item(newValue, inputs);
        }

        /** One element that stands for several: their sum. */
        static Item merged(List<Item> items) {
            return new Item(
                    items.stream().mapToLong(item -> item.value).sum(),
                    items.stream()
                            .flatMapToInt(item -> IntStream.of(item.inputs))
                            .toArray());
        }
    }
}
