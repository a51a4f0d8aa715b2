package dev.weir.otel;

import dev.weir.stream.spi.AckTarget;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the traces of the records from which an element was derived, through its pending acknowledgements. Confined to
 * one thread.
 */
final class TraceFinder implements AckTarget.RootVisitor {

    private final Set<Place> places = new LinkedHashSet<>();

    /**
     * Returns the places of the traces, without duplicates. The caller must hold a pending acknowledgement of the
     * element.
     */
    List<Place> of(AckTarget target, long token) {
        places.clear();
        target.roots(token, this);
        return List.copyOf(places);
    }

    void found(Place place) {
        places.add(place);
    }

    /** Ignores an element from an untraced source. */
    @Override
    public void root(AckTarget source, long token) {}
}
