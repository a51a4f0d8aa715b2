package dev.weir.stream;

import dev.weir.stream.internal.operator.Operators;
import java.util.List;

/** Operators that gather, spread or hold back elements, by count or by time. Part of {@link Source}. */
abstract class GroupingOperators<T> extends ElementOperators<T> {

    /**
     * Gathers elements into lists of {@code groupSize}, the last one perhaps shorter. The members are acknowledged
     * together, when the list is.
     *
     * @param groupSize at least 1
     */
    public Source<List<T>> grouped(int groupSize) {
        return Source.at(Operators.grouped(node(), groupSize));
    }
}
