// The only script of a report: shows the figures under the pointer. Without it nothing is missing but comfort.
(function(){
var tip=document.createElement('div');tip.id='tip';tip.hidden=true;document.body.appendChild(tip);
document.querySelectorAll('svg[data-hover]').forEach(function(svg){
var d=JSON.parse(svg.dataset.hover),ns=svg.namespaceURI,cursor=document.createElementNS(ns,'line');
if(!d.x.length)return;
cursor.setAttribute('class','cursor');cursor.setAttribute('y1',d.y[0]);cursor.setAttribute('y2',d.y[1]);
cursor.style.display='none';svg.appendChild(cursor);
function hide(){tip.hidden=true;cursor.style.display='none'}
function show(e){
var box=svg.getBoundingClientRect(),scale=svg.viewBox.baseVal.width/box.width;
var at=(e.clientX-box.left)*scale,best=0;
d.x.forEach(function(x,i){if(Math.abs(x-at)<Math.abs(d.x[best]-at))best=i});
if(at<d.x[0]-30||at>d.x[d.x.length-1]+30){hide();return}
tip.textContent='';
var head=document.createElement('b');head.textContent=d.h[best];tip.appendChild(head);
d.r.forEach(function(r){
var v=r.v[best];if(!v)return;
var row=document.createElement('div'),n=document.createElement('span'),t=document.createElement('span');
n.textContent=r.n;t.textContent=v;row.appendChild(n);row.appendChild(t);tip.appendChild(row)});
cursor.setAttribute('x1',d.x[best]);cursor.setAttribute('x2',d.x[best]);cursor.style.display='';
tip.hidden=false;
var px=box.left+d.x[best]/scale,w=tip.offsetWidth;
var left=px+14+w>document.documentElement.clientWidth?px-14-w:px+14;
tip.style.left=Math.max(4,left)+window.scrollX+'px';
tip.style.top=e.clientY+window.scrollY-tip.offsetHeight/2+'px'}
svg.addEventListener('pointermove',show);svg.addEventListener('pointerdown',show);
svg.addEventListener('pointerleave',hide)})})();
