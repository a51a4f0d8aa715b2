package dev.weir.otel;

import dev.weir.stream.spi.AckTarget;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the traces of the records that an element was derived from, through its pending acknowledgement. Confined to
 * one thread.
 */
final class TraceFinder implements AckTarget.RootVisitor {

    private final Set<Place> places = new LinkedHashSet<>();

    /** Returns the places of the traces, without duplicates. The caller must hold the pending acknowledgement. */
    List<Place> of(AckTarget target, long token) {
        places.clear();
        target.roots(token, this);
        return List.copyOf(places);
    }

    void found(Place place) {
        places.add(place);
    }

    /** Ignores an element of an untraced source. */
    @Override
    public void root(AckTarget source, long token) {}
}
