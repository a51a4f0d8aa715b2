package dev.weir.stream.internal.parallel;

/** A first-in first-out queue of ints with a fixed capacity. Not thread-safe. */
final class IntRing {

    private final int[] items;
    private int head;
    private int size;

    IntRing(int capacity) {
        items = new int[capacity];
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Adds an item at the end. The ring must not be full. */
    void add(int item) {
        int tail = head + size++;
        items[tail >= items.length ? tail - items.length : tail] = item;
    }

    /** Adds an item at the front. The ring must not be full. */
    void addFirst(int item) {
        head = head == 0 ? items.length - 1 : head - 1;
        items[head] = item;
        size++;
    }

    /** Returns the first item. The ring must not be empty. */
    int peek() {
        return items[head];
    }

    /** Returns the item at index {@code place}, counted from the first item. */
    int get(int place) {
        int at = head + place;
        return items[at >= items.length ? at - items.length : at];
    }

    /** Removes and returns the first item. The ring must not be empty. */
    int poll() {
        int item = items[head];
        head = head + 1 == items.length ? 0 : head + 1;
        size--;
        return item;
    }
}
