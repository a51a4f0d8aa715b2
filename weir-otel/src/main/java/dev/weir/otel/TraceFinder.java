package dev.weir.otel;

import dev.weir.stream.spi.AckTarget;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds the traces of all records of an element, by following its acknowledgement targets. Confined to one thread. */
final class TraceFinder implements AckTarget.RootVisitor {

    private final Set<Place> places = new LinkedHashSet<>();

    /** Returns the places of the traces of the element's records. The caller must have a pending acknowledgement. */
    List<Place> of(AckTarget target, long token) {
        places.clear();
        target.roots(token, this);
        return List.copyOf(places);
    }

    void found(Place place) {
        places.add(place);
    }

    /** Does nothing: the target belongs to a source without tracing. */
    @Override
    public void root(AckTarget source, long token) {}
}
