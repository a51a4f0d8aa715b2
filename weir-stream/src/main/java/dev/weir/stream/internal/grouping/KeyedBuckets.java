package dev.weir.stream.internal.grouping;

import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * A {@link TokenBucket} for each key that has one which is not full: a full one is as good as none. Confined to one
 * thread.
 */
final class KeyedBuckets {

    // The keys touched longest ago come first. A bucket is touched when something is taken from it and when its debt
    // gets
    // smaller, so that it is full a fixed time after it was touched last, and the full ones are the first ones.
    private final LinkedHashMap<Object, TokenBucket> buckets = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);
    private final TokenBucket pattern;

    /** Creates a store of buckets like {@code pattern}. */
    KeyedBuckets(TokenBucket pattern) {
        this.pattern = pattern;
    }

    TokenBucket of(Object key, long nowNanos) {
        TokenBucket bucket = buckets.get(key);
        if (bucket == null) {
            bucket = pattern.another(nowNanos);
            buckets.put(key, bucket);
        }
        return bucket;
    }

    /** Notes that what was taken on credit has been waited for. */
    void touch(Object key) {
        TokenBucket ignored = buckets.get(key);
    }

    /** Forgets the keys whose buckets are full again. */
    void forgetFull(long nowNanos) {
        Iterator<TokenBucket> longestUntouched = buckets.values().iterator();
        while (longestUntouched.hasNext() && longestUntouched.next().isFull(nowNanos)) {
            longestUntouched.remove();
        }
    }

    int size() {
        return buckets.size();
    }
}
