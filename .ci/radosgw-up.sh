#!/usr/bin/env bash
# Starts Ceph's S3 gateway with all data in memory: radosgw-up.sh DIRECTORY GATEWAY_PORT MONITOR_PORT.
# Ends with exit code 0 once the gateway answers on 127.0.0.1; three daemons stay behind, whose process ids
# are in DIRECTORY/run/*.pid. Their keys are `testkey` and `testsecret`. Needs Debian's packages ceph-mon,
# ceph-osd and radosgw. Its loops have no limit of their own: whoever calls it sets one.
set -euo pipefail
directory=$1 gateway_port=$2 monitor_port=$3
conf="$directory/ceph.conf"
ceph_cli() { ceph -c "$conf" --connect-timeout 5 "$@"; }
# A monitor that answers one command may refuse the next for a moment (EPERM).
insist() { until "$@" >/dev/null 2>&1; do sleep .2; done; }

mkdir -p "$directory"/{mon/a,osd/0,run,log,crash,rgw}
fsid=$(cat /proc/sys/kernel/random/uuid)
# Without the paxos lines making a pool takes a second; without `on start = false` the storage daemon may
# end at its start. Without the gc lines memory of what was overwritten is never freed.
cat >"$conf" <<END
[global]
fsid = $fsid
mon host = v1:127.0.0.1:$monitor_port
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
paxos propose interval = 0.02
paxos min wait = 0.01
osd objectstore = memstore
memstore device bytes = 6G
osd crush update on start = false
osd class update on start = false
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon max pg per osd = 1000
mon data = $directory/mon/\$id
osd data = $directory/osd/\$id
run dir = $directory/run
admin socket = $directory/run/\$name.asok
pid file = $directory/run/\$name.pid
log file = $directory/log/\$name.log
mon cluster log file = $directory/log/cluster.log
crash dir = $directory/crash
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:$gateway_port
rgw data = $directory/rgw
rgw dns name = s3.localhost
rgw thread pool size = 32
rgw gc obj min wait = 1
rgw gc processor period = 5
rgw gc processor max time = 5
END

monmaptool --create --addv a "v1:127.0.0.1:$monitor_port" --fsid "$fsid" "$directory/monmap" >/dev/null
ceph-mon -c "$conf" -i a --mkfs --monmap "$directory/monmap"
ceph-mon -c "$conf" -i a
insist ceph_cli mon stat

ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$(cat /proc/sys/kernel/random/uuid)" >/dev/null 2>&1
# It made an id of its own.
osd=$(cat "$directory/osd/0/fsid")
insist ceph_cli osd new "$osd"
insist ceph_cli osd crush add osd.0 1.0 root=default host=testhost
ceph-osd -c "$conf" -i 0 --osd-uuid "$osd" >/dev/null 2>&1
until ceph_cli osd stat 2>/dev/null | grep -q '1 up'; do sleep .1; done

radosgw -c "$conf" -n client.rgw.a
insist radosgw-admin -c "$conf" user create --uid=test --display-name=test \
  --access-key=testkey --secret-key=testsecret --max-buckets=0
insist curl -sf -o /dev/null "http://127.0.0.1:$gateway_port/"
